-- decode_features: one row for each decode figure of an active run that left something in host
-- memory, with every input that the model uses. Inputs only: no rule below looks at the speed.
-- Inferred or assumed inputs say so in a column of their own.
WITH bandwidth AS (  -- the best figure: idle, the bundle's own, a read tool, then triads
    SELECT m.bundle_id, m.state_id, coalesce(b.gbps, (b.low + b.high) / 2) AS gbps, b.method
    FROM bundles AS m
    JOIN rig_bandwidth AS b USING (state_id)
    JOIN catalog_bandwidth AS c USING (method)
    WHERE c.measured AND coalesce(b.gbps, b.low, b.high) IS NOT NULL
    QUALIFY row_number() OVER (
        PARTITION BY m.bundle_id
        ORDER BY coalesce(b.under_load, false), b.bundle_id <> m.bundle_id, c.counts = 'read' DESC,
            b.method = 'triad-v2' DESC, b.how = 'inferred', b.method, b.gbps DESC
    ) = 1
),
cards AS (
    SELECT state_id, count(*) AS cards, first(g.name ORDER BY card) AS gpu_name,
        count(c.bandwidth_gbps) / sum(1 / c.bandwidth_gbps) AS gpu_gbps,
        sum(coalesce(c.vram_gib, vram_mib / 1024)) AS vram_gib
    FROM rig_gpus AS g LEFT JOIN catalog_gpus AS c USING (gpu)
    GROUP BY state_id
),
stated AS (  -- one acceptance told alike of two workloads is the mean over both, told twice
    SELECT *, count(DISTINCT coalesce(workload, '')) OVER (PARTITION BY bundle_id, quantity, value)
            = 1 AS of_workload
    FROM measurements
    WHERE status = 'active' AND quantity IN ('acceptance', 'hit_rate', 'tokens_per_pass')
),
beside AS (  -- acceptance and hits of the same run: of the same workload, else the run's mean
    SELECT d.measurement_id,
        avg(o.value) FILTER (
            WHERE o.quantity = 'acceptance' AND o.workload = d.workload AND o.of_workload
        ) AS acceptance,
        avg(o.value) FILTER (WHERE o.quantity = 'acceptance') AS acceptance_of_run,
        coalesce(avg(o.value) FILTER (WHERE o.quantity = 'hit_rate' AND o.workload = d.workload),
            avg(o.value) FILTER (WHERE o.quantity = 'hit_rate')) AS hit_rate,
        avg(o.value) FILTER (WHERE o.quantity = 'tokens_per_pass') AS tokens_per_pass
    FROM measurements AS d JOIN stated AS o USING (run_id)
    WHERE d.quantity = 'decode'
    GROUP BY d.measurement_id
),
joined AS (
    SELECT m.measurement_id, m.rig_id, m.state_id, m.bundle_id, m.run_id, m.source_url, m.workload,
        m.protocol, m.streams, coalesce(m.context_tokens, 0) AS context_tokens,
        coalesce(m.value, (m.low + m.high) / 2) AS tokens_per_s,
        r.slug, r.model, r.quant, r.engine, r.offload, r.layers_on_cpu, r.drafter,
        r.drafter_depth, r.drafter_device, r.expert_cache, r.cache_mib, r.threads AS threads_given,
        r.ubatch, r.ctx, r.numa, r.outcome,
        offload_rules ILIKE '%-rtr%' AS repacked,
        beside.acceptance, beside.acceptance_of_run, beside.hit_rate, beside.tokens_per_pass,
        coalesce(s.sockets, 1) AS sockets_total,
        coalesce(r.sockets_used, s.sockets, 1) AS sockets,
        coalesce(s.cores, c.cores * coalesce(s.sockets, 1)) AS cores_total,
        s.threads AS logical_threads, s.guest, s.memory_gib, s.numa_nodes, s.cpu, s.cpu_model,
        s.channels_populated, s.channels_total,
        coalesce(s.channels_populated, s.channels_total, c.channels * coalesce(s.sockets, 1))
            AS channels,
        s.mts AS mts_stated, coalesce(s.mts, c.mts_max) AS mts,
        c.platform, c.core_speed * coalesce(s.all_core_ghz, c.all_core_ghz) / 4 AS core_speed,
        c.vendor = 'intel' AS intel, c.generation, c.ccds,
        CASE WHEN r.offload = 'cpu-only' THEN 0
            ELSE coalesce(r.gpus_used, s.gpu_count) END AS gpus,
        coalesce(r.weights_gib, v.file_gib, v.routed_gib + v.dense_gib) AS weights_gib,
        coalesce(r.layers_on_cpu / nullif(cm.moe_layers, 0), 1) AS host_share,
        cards.cards, cards.gpu_name, cards.gpu_gbps, cards.vram_gib,
        b.gbps AS gbps_measured, b.method
    FROM measurements AS m
    JOIN runs AS r USING (run_id)
    JOIN rig_states AS s ON s.state_id = m.state_id
    LEFT JOIN catalog_cpus AS c ON c.cpu = s.cpu
    LEFT JOIN catalog_variants AS v ON v.model = r.model AND v.quant = r.quant
    LEFT JOIN catalog_models AS cm ON cm.model = r.model
    LEFT JOIN cards ON cards.state_id = m.state_id
    LEFT JOIN bandwidth AS b ON b.bundle_id = m.bundle_id
    LEFT JOIN beside ON beside.measurement_id = m.measurement_id
    -- `comparable` is the one gate to fits and ranks: active, ended well, no repeat of another run.
    WHERE m.measurement_id IN (SELECT measurement_id FROM comparable) AND m.quantity = 'decode'
        AND coalesce(m.value, m.low, m.high) > 0
        AND coalesce(r.offload, 'unknown') <> 'resident'
)
-- A run bound to some sockets gets their share of cores and channels, and of the bandwidth where
-- the figure is more than those sockets can carry.
SELECT * EXCLUDE (cores_total, channels, gbps_measured, method),
    cores_total * sockets / sockets_total AS cores,
    coalesce(threads_given, cores_total * sockets / sockets_total) AS threads,
    channels * sockets / sockets_total AS channels,
    channels * sockets / sockets_total * mts * 8 / 1000 AS rated_gbps,
    CASE WHEN gbps_measured > 1.05 * rated_gbps AND sockets < sockets_total
        THEN gbps_measured * sockets / sockets_total ELSE gbps_measured END AS gbps,
    method
FROM joined
ORDER BY measurement_id
