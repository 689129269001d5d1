-- The database that everything downstream reads. Derived from data/ and rebuilt whole: never edit it.
-- Units stand in names. Absent is NULL; "known to be off" is a word ('none'); 0 is a measured zero.

CREATE TABLE bundles (
    bundle_id       VARCHAR PRIMARY KEY,  -- SHA-256, fixed when the bundle was made
    rig_id          VARCHAR NOT NULL,     -- the machine it is about
    state_id        VARCHAR NOT NULL,     -- the machine as populated and clocked then
    submitter       VARCHAR,              -- public handle, or NULL
    schema_version  INTEGER NOT NULL,
    date            DATE,                 -- earliest date of its sources
    path            VARCHAR NOT NULL,     -- folder below data/reports
    content_hash    VARCHAR NOT NULL,     -- SHA-256 over the folder's files
    raw             VARCHAR,              -- what lies beside it: rows | report | log, or NULL
    status          VARCHAR NOT NULL      -- active | flagged | superseded | retracted
);

CREATE TABLE sources (
    bundle_id  VARCHAR NOT NULL,
    source     INTEGER NOT NULL,  -- position in the bundle; evidence points at it
    kind       VARCHAR NOT NULL,
    url        VARCHAR NOT NULL,
    author     VARCHAR,           -- public handle
    date       DATE,
    post       INTEGER            -- order of the post in a thread
);

CREATE TABLE machines (
    rig_id     VARCHAR PRIMARY KEY,  -- stable key of one box
    label      VARCHAR NOT NULL,     -- what a person calls it: handle, CPU
    submitter  VARCHAR,
    states     INTEGER NOT NULL,
    bundles    INTEGER NOT NULL
);

CREATE TABLE rig_states (
    state_id            VARCHAR PRIMARY KEY,  -- rig_id@state
    rig_id              VARCHAR NOT NULL,
    state               VARCHAR NOT NULL,
    cpu_model           VARCHAR,   -- as written
    cpu                 VARCHAR,   -- catalogue id
    generation          VARCHAR,   -- catalogue id of the core generation
    all_core_ghz        DOUBLE,
    sockets             INTEGER,
    cores               INTEGER,   -- physical, all sockets
    threads             INTEGER,   -- logical, all sockets
    guest               BOOLEAN,   -- runs in a virtual machine or container
    memory_gib          DOUBLE,
    memory_kind         VARCHAR,
    mts                 DOUBLE,    -- configured transfer rate, MT/s
    dimms               VARCHAR,
    channels_populated  INTEGER,   -- all sockets
    channels_total      INTEGER,
    numa_nodes          INTEGER,
    thp                 VARCHAR,
    gpu_count           INTEGER,   -- 0 = known to have none
    gpu_names           VARCHAR,   -- e.g. "2x RTX 3090"
    vram_gib            DOUBLE,    -- all cards together
    os                  VARCHAR,
    environment         VARCHAR,
    inferred            VARCHAR[]  -- columns whose value was inferred
);

CREATE TABLE rig_gpus (
    state_id         VARCHAR NOT NULL,
    card             INTEGER NOT NULL,
    name             VARCHAR NOT NULL,  -- as written
    gpu              VARCHAR,           -- catalogue id
    vram_mib         DOUBLE,
    power_w          DOUBLE,
    power_default_w  DOUBLE,
    link             VARCHAR
);

CREATE TABLE rig_bandwidth (
    state_id    VARCHAR NOT NULL,
    bundle_id   VARCHAR NOT NULL,
    gbps        DOUBLE,
    low         DOUBLE,
    high        DOUBLE,
    method      VARCHAR NOT NULL,  -- catalogue id: methods are never mixed without a term
    threads     INTEGER,
    under_load  BOOLEAN,
    how         VARCHAR NOT NULL,
    note        VARCHAR
);

CREATE TABLE runs (
    run_id             VARCHAR PRIMARY KEY,  -- first 12 of bundle_id / run
    position           INTEGER NOT NULL,     -- place in the bundle: /runs/<position>
    bundle_id          VARCHAR NOT NULL,
    rig_id             VARCHAR NOT NULL,
    state_id           VARCHAR NOT NULL,
    slug               VARCHAR,   -- only when weights, engine and launch are the catalogue's
    named              VARCHAR,   -- the name the text uses
    model              VARCHAR,   -- catalogue id of what was really served
    quant              VARCHAR,   -- catalogue id
    weights_spelled    VARCHAR,
    weights_gib        DOUBLE,
    engine             VARCHAR,   -- catalogue id
    engine_build       VARCHAR,
    threads            INTEGER,
    threads_batch      INTEGER,
    batch              INTEGER,
    ubatch             INTEGER,
    ctx                INTEGER,   -- context allocated, tokens
    kv                 VARCHAR,
    gpus_used          INTEGER,
    sockets_used       INTEGER,   -- processors that the run was bound to
    numa               VARCHAR,
    tensor_parallel    INTEGER,
    thinking           BOOLEAN,
    offload            VARCHAR,   -- resident | experts | layers | cpu-only | fit | engine-managed
    layers_on_cpu      INTEGER,   -- layers whose routed experts sit in host RAM
    offload_rules      VARCHAR,
    drafter            VARCHAR,   -- 'none' = known to be off, NULL = unknown
    drafter_depth      INTEGER,   -- tokens drafted per pass
    drafter_device     VARCHAR,   -- cpu | gpu
    expert_cache       VARCHAR,   -- 'none' = known to be off, 'on', NULL = unknown
    cache_mib          DOUBLE,
    cache_reserve_mib  DOUBLE,
    cache_note         VARCHAR,
    origin             VARCHAR,
    rerun_of           VARCHAR,
    series             VARCHAR,
    series_axis        VARCHAR,
    outcome            VARCHAR NOT NULL,  -- ok | partial | failed | refused
    outcome_stage      VARCHAR,
    outcome_reason     VARCHAR,
    suite_overall      VARCHAR,
    suite_exit         INTEGER,
    verify             VARCHAR,   -- stage outcomes
    stress             VARCHAR,
    soak               VARCHAR,
    bench              VARCHAR,
    agentic            VARCHAR,
    inferred           VARCHAR[], -- pointers below the run whose value was inferred
    status             VARCHAR NOT NULL,
    status_reason      VARCHAR
);

CREATE TABLE stages (
    run_id   VARCHAR NOT NULL,
    stage    VARCHAR NOT NULL,
    outcome  VARCHAR NOT NULL,
    passed   INTEGER,
    total    INTEGER,
    exit     INTEGER,
    note     VARCHAR
);

CREATE TABLE quality (
    run_id    VARCHAR NOT NULL,
    pack      VARCHAR NOT NULL,
    version   VARCHAR,
    passed    DOUBLE NOT NULL,
    total     INTEGER NOT NULL,
    thinking  BOOLEAN,
    skipped   INTEGER
);

CREATE TABLE anomalies (
    run_id          VARCHAR NOT NULL,
    what            VARCHAR NOT NULL,
    boots_affected  INTEGER,
    boots           INTEGER,
    quantities      VARCHAR[],
    evidence        VARCHAR
);

CREATE TABLE measurements (
    measurement_id   VARCHAR NOT NULL,  -- run_id / position, so unique as runs are; an index
                                        -- over it would be a third of the file
    run_id           VARCHAR NOT NULL,
    bundle_id        VARCHAR NOT NULL,
    rig_id           VARCHAR NOT NULL,
    state_id         VARCHAR NOT NULL,
    quantity         VARCHAR NOT NULL,
    workload         VARCHAR,
    protocol         VARCHAR NOT NULL,
    prompt_tokens    INTEGER,
    context_tokens   INTEGER,
    nominal_tokens   INTEGER,
    streams          INTEGER,
    value            DOUBLE,
    low              DOUBLE,
    high             DOUBLE,
    statistic        VARCHAR,
    sd               DOUBLE,
    cv               DOUBLE,   -- fraction: 0.05 = 5 %
    n                INTEGER,
    boots            INTEGER,
    unit             VARCHAR NOT NULL,
    how              VARCHAR NOT NULL,  -- measured | reported | inferred
    source           INTEGER NOT NULL,
    source_url       VARCHAR NOT NULL,
    line             INTEGER,
    status           VARCHAR NOT NULL,
    status_reason    VARCHAR
);

CREATE TABLE statuses (
    bundle_id  VARCHAR NOT NULL,
    target     VARCHAR NOT NULL,  -- JSON pointer, '' = the whole bundle
    state      VARCHAR NOT NULL,
    reason     VARCHAR NOT NULL,
    date       DATE NOT NULL,
    "by"       VARCHAR NOT NULL,
    link       VARCHAR,
    position   INTEGER NOT NULL   -- line of status.jsonl; the last one for a target holds
);

CREATE TABLE problems (
    path      VARCHAR NOT NULL,
    place     VARCHAR NOT NULL,
    message   VARCHAR NOT NULL,
    severity  VARCHAR NOT NULL
);

-- What the rows were made with: a later load redoes what stands under a hash that changed.
CREATE TABLE built (
    part  VARCHAR PRIMARY KEY,  -- rows | catalog | maintainers
    key   VARCHAR NOT NULL
);

CREATE TABLE catalog_models (
    model                VARCHAR PRIMARY KEY,
    name                 VARCHAR NOT NULL,
    family               VARCHAR NOT NULL,
    kind                 VARCHAR NOT NULL,
    parameters_b         DOUBLE NOT NULL,
    layers               INTEGER,
    moe_layers           INTEGER,
    first_moe_layer      INTEGER,
    experts              INTEGER,
    experts_per_token    INTEGER,
    hidden               INTEGER,
    expert_ffn           INTEGER,
    expert_matrices      INTEGER,
    always_active_b      DOUBLE,
    kv_mib_per_1k        DOUBLE,
    native_ctx           INTEGER,
    inferred             VARCHAR[]
);

CREATE TABLE catalog_variants (
    model               VARCHAR NOT NULL,
    quant               VARCHAR NOT NULL,
    kernel              VARCHAR NOT NULL,  -- of the routed experts
    routed_bits         DOUBLE,
    dense_bits          DOUBLE,            -- of the quant by name
    bundle_mib          DOUBLE[],          -- routed experts of each MoE layer, in order
    routed_gib          DOUBLE,            -- all of them
    dense_gib           DOUBLE,            -- read for every token outside routed experts
    file_gib            DOUBLE,
    inferred            VARCHAR[],
    PRIMARY KEY (model, quant)
);

CREATE TABLE catalog_slugs (
    slug            VARCHAR PRIMARY KEY,
    model           VARCHAR NOT NULL,
    quant           VARCHAR NOT NULL,
    engine          VARCHAR NOT NULL,
    cards           INTEGER NOT NULL,
    reference_gpu   VARCHAR NOT NULL,
    offload         VARCHAR NOT NULL,
    ctx             INTEGER,
    ubatch          INTEGER,
    drafter         VARCHAR,
    drafter_depth   INTEGER,
    drafter_device  VARCHAR,
    expert_cache    BOOLEAN NOT NULL,
    host_ram_gib    DOUBLE,
    status          VARCHAR NOT NULL
);

CREATE TABLE catalog_cpus (
    cpu           VARCHAR PRIMARY KEY,
    name          VARCHAR NOT NULL,
    vendor        VARCHAR NOT NULL,
    generation    VARCHAR NOT NULL,
    core_speed    DOUBLE NOT NULL,   -- per clock, Zen 2 = 1
    platform      VARCHAR NOT NULL,
    cores         INTEGER NOT NULL,
    threads       INTEGER NOT NULL,
    all_core_ghz  DOUBLE NOT NULL,
    channels      INTEGER NOT NULL,  -- per socket
    memory        VARCHAR NOT NULL,
    mts_max       DOUBLE NOT NULL,
    ccds          INTEGER,
    inferred      VARCHAR[]
);

CREATE TABLE catalog_gpus (
    gpu             VARCHAR PRIMARY KEY,
    name            VARCHAR NOT NULL,
    vram_gib        DOUBLE NOT NULL,
    bandwidth_gbps  DOUBLE NOT NULL
);

CREATE TABLE catalog_bandwidth (
    method          VARCHAR PRIMARY KEY,
    meaning         VARCHAR NOT NULL,
    measured        BOOLEAN NOT NULL,
    counts          VARCHAR NOT NULL,
    reads_per_gbps  DOUBLE NOT NULL
);

CREATE TABLE catalog_protocols (
    protocol   VARCHAR PRIMARY KEY,
    meaning    VARCHAR NOT NULL,
    sampling   VARCHAR NOT NULL,
    clock      VARCHAR NOT NULL,
    canonical  BOOLEAN NOT NULL
);

CREATE TABLE catalog_quantities (
    quantity          VARCHAR PRIMARY KEY,
    meaning           VARCHAR NOT NULL,
    unit              VARCHAR NOT NULL,
    higher_is_better  BOOLEAN
);

CREATE TABLE catalog_engines (
    engine  VARCHAR PRIMARY KEY,
    name    VARCHAR NOT NULL,
    family  VARCHAR NOT NULL
);

-- Runs published twice: counted once, at the one that names its slug, else at the earlier.
CREATE TABLE duplicates (
    run_id        VARCHAR PRIMARY KEY,
    duplicate_of  VARCHAR NOT NULL,  -- run_id of the first
    kind          VARCHAR NOT NULL,  -- exact | near
    shared        INTEGER NOT NULL   -- figures that agree
);

-- Figures of such runs that the first one has already: they are left out, what is new is not.
CREATE VIEW repeated AS
SELECT m.measurement_id, o.measurement_id AS repeats
FROM duplicates AS d
JOIN measurements AS m USING (run_id)
JOIN measurements AS o ON o.run_id = d.duplicate_of AND o.quantity = m.quantity
    AND o.protocol = m.protocol AND o.workload IS NOT DISTINCT FROM m.workload
    AND o.context_tokens IS NOT DISTINCT FROM m.context_tokens
    AND o.nominal_tokens IS NOT DISTINCT FROM m.nominal_tokens
    AND o.streams IS NOT DISTINCT FROM m.streams;

-- Handles of CODEOWNERS: who may retract what others submitted.
CREATE TABLE maintainers (handle VARCHAR PRIMARY KEY);  -- lower case, without @

-- The one gate to fits, ranks and comparisons: what stands, ended well, has a number and repeats no
-- earlier run. Everything else stays in `measurements` and in the downloads.
--
-- One row per rig state, run, quantity, workload, protocol, context, streams and thinking; only
-- active rows of runs that ended well. Rows of one group may be compared with each other.
CREATE VIEW comparable AS
SELECT
    m.*,
    r.slug, r.named, r.model, r.quant, r.engine, r.engine_build, r.threads, r.ubatch, r.ctx, r.kv,
    r.thinking, r.offload, r.layers_on_cpu, r.drafter, r.drafter_depth, r.drafter_device,
    r.expert_cache, r.cache_mib, r.gpus_used, r.series, r.series_axis, r.origin,
    coalesce(m.value, (m.low + m.high) / 2) AS central
FROM measurements AS m
JOIN runs AS r USING (run_id)
WHERE m.status = 'active' AND r.status = 'active' AND r.outcome IN ('ok', 'partial')
    AND coalesce(m.value, m.low, m.high) IS NOT NULL
    AND m.measurement_id NOT IN (SELECT measurement_id FROM repeated)
QUALIFY row_number() OVER (
    PARTITION BY m.state_id, m.run_id, m.quantity, m.workload, m.protocol, m.context_tokens,
        m.nominal_tokens, m.streams, r.thinking
    ORDER BY m.n DESC NULLS LAST, m.measurement_id
) = 1;

-- A run's sources, with those of the places that published it again.
CREATE VIEW run_sources AS
SELECT r.run_id, s.* EXCLUDE (bundle_id, source), s.bundle_id, s.source
FROM (
    SELECT run_id, bundle_id FROM runs
    UNION ALL
    SELECT d.duplicate_of, r.bundle_id FROM duplicates AS d JOIN runs AS r USING (run_id)
) AS r
JOIN sources AS s USING (bundle_id);

-- Every state that a measurement was ever given, by itself, its run or its bundle; first to last.
CREATE VIEW row_history AS
SELECT m.measurement_id, s.date, s.state, s.reason, s."by", s.link, s.target, s.position
FROM measurements AS m
JOIN runs AS r USING (run_id)
JOIN statuses AS s ON s.bundle_id = m.bundle_id AND s.target IN (
    '', '/runs/' || r.position,
    '/runs/' || r.position || '/measurements/' || split_part(m.measurement_id, '/', -1)
)
ORDER BY m.measurement_id, s.date, s.position;

-- How far each number that counts can be trusted. Computed from what lies there, never declared: a
-- re-run is a number of the same variant, protocol and workload by another person on another machine
-- with the same processor and cards, within a quarter (the spread of one rig over days).
CREATE VIEW trust AS
WITH told AS (
    SELECT c.*, b.raw, lower(coalesce(b.submitter, s.author)) AS who, rs.cpu, rs.gpu_names
    FROM comparable AS c
    JOIN bundles AS b USING (bundle_id)
    JOIN rig_states AS rs ON rs.state_id = c.state_id
    LEFT JOIN sources AS s ON s.bundle_id = c.bundle_id AND s.source = c.source
),
again AS (
    SELECT a.measurement_id, bool_or(o.who NOT IN (SELECT handle FROM maintainers)) AS by_others
    FROM told AS a
    JOIN told AS o ON o.model = a.model AND o.quant = a.quant AND o.quantity = a.quantity
        AND o.protocol = a.protocol AND o.workload IS NOT DISTINCT FROM a.workload
        AND o.nominal_tokens IS NOT DISTINCT FROM a.nominal_tokens
        AND o.context_tokens IS NOT DISTINCT FROM a.context_tokens
        AND o.cpu = a.cpu AND o.gpu_names = a.gpu_names
        AND o.who <> a.who AND o.rig_id <> a.rig_id
        AND o.central BETWEEN a.central / 1.25 AND a.central * 1.25
    GROUP BY a.measurement_id
)
SELECT t.measurement_id,
    CASE
        WHEN again.by_others THEN 're-run by somebody else'
        WHEN again.measurement_id IS NOT NULL THEN 're-run by a maintainer'
        WHEN t.raw = 'log' THEN 'report with raw log'
        WHEN t.raw = 'report' THEN 'pasted report'
        ELSE 'statement'
    END AS trust,
    CASE
        WHEN again.by_others THEN 5
        WHEN again.measurement_id IS NOT NULL THEN 4
        WHEN t.raw = 'log' THEN 3
        WHEN t.raw = 'report' THEN 2
        ELSE 1
    END AS trust_level,
    again.measurement_id IS NULL AND coalesce(t.raw, 'rows') = 'rows' AS only_said
FROM told AS t
LEFT JOIN again USING (measurement_id);

-- The best number of each variant, quantity, workload and protocol that may be ranked: one stream,
-- no depth. `caveat` must be shown with it: nothing leads on one person's word without saying so.
CREATE VIEW leaders AS
SELECT c.*, t.trust, t.trust_level,
    CASE WHEN t.only_said THEN 'one source, no report: nobody has repeated it' END AS caveat
FROM comparable AS c
JOIN trust AS t USING (measurement_id)
JOIN catalog_quantities AS q USING (quantity)
WHERE q.higher_is_better AND c.model IS NOT NULL AND c.quant IS NOT NULL
    AND coalesce(c.streams, 1) = 1 AND coalesce(c.context_tokens, 0) < 4096
QUALIFY row_number() OVER (
    PARTITION BY c.model, c.quant, c.quantity, c.workload, c.protocol, c.nominal_tokens
    ORDER BY c.central DESC, t.trust_level DESC, c.measurement_id
) = 1;

-- What must be equal before two numbers are set side by side (ingest/comparable.py reads it).
CREATE VIEW guarded AS
SELECT
    m.measurement_id, m.run_id, m.rig_id, m.state_id, m.status, m.quantity, m.unit, m.workload,
    m.protocol, p.sampling, p.clock, coalesce(m.streams, 1) AS streams, m.nominal_tokens,
    m.context_tokens, r.thinking, r.model, r.quant, e.family AS engine,
    -- A build number or a version names a generation to its hundreds or its minor.
    coalesce('b' || nullif(regexp_extract(r.engine_build, '\bb(\d+)\d\d\b', 1), '') || 'xx',
        nullif(regexp_extract(r.engine_build, '\bv?(\d+\.\d+)', 1), '')) AS engine_generation,
    b.method AS bandwidth_method, b.gbps, g.power_w AS power_cap_w,
    coalesce(m.value, (m.low + m.high) / 2) AS central, m.low, m.high, m.sd, m.cv, m.n
FROM measurements AS m
JOIN runs AS r USING (run_id)
JOIN catalog_protocols AS p USING (protocol)
LEFT JOIN catalog_engines AS e ON e.engine = r.engine
LEFT JOIN (
    SELECT state_id, string_agg(round(power_w)::INTEGER, '+' ORDER BY power_w) AS power_w
    FROM rig_gpus GROUP BY state_id HAVING count(power_w) = count(*)
) AS g ON g.state_id = m.state_id
LEFT JOIN (
    SELECT f.state_id, f.bundle_id, f.method, coalesce(f.gbps, (f.low + f.high) / 2) AS gbps
    FROM rig_bandwidth AS f JOIN catalog_bandwidth AS c USING (method)
    WHERE c.measured AND NOT coalesce(f.under_load, false)
    QUALIFY row_number() OVER (
        PARTITION BY f.state_id, f.bundle_id ORDER BY c.counts = 'read' DESC, f.method
    ) = 1
) AS b ON b.bundle_id = m.bundle_id
WHERE coalesce(m.value, m.low + m.high) IS NOT NULL;

-- Speeds with every field in which two runs of one machine may differ (ingest/pairs.py reads it).
-- Flagged rows are there for the watch on engine builds; pairs of other fields leave them out.
CREATE VIEW pairable AS
SELECT
    m.measurement_id, m.bundle_id, m.rig_id, m.quantity, m.workload, m.protocol, m.status,
    coalesce(m.streams, 1) AS streams, m.nominal_tokens, m.context_tokens, m.n, m.sd, m.cv,
    coalesce(m.value, (m.low + m.high) / 2) AS central, b.date, r.slug, r.model, r.quant,
    nullif(concat_ws(' ', s.mts::INTEGER || ' MT/s', s.channels_populated || ' channels'), '')
        AS memory,
    s.gpu_names, g.power_w AS power_cap_w, r.engine, r.engine_build, r.drafter, r.drafter_depth,
    r.drafter_device, r.expert_cache, r.cache_mib, r.offload, r.layers_on_cpu, r.gpus_used,
    r.tensor_parallel, r.threads, r.batch, r.ubatch, r.kv, r.ctx, r.numa, r.sockets_used, r.thinking
FROM measurements AS m
JOIN runs AS r USING (run_id)
JOIN bundles AS b ON b.bundle_id = m.bundle_id
JOIN rig_states AS s ON s.state_id = m.state_id
LEFT JOIN (
    SELECT state_id, string_agg(round(power_w)::INTEGER, '+' ORDER BY power_w) AS power_w
    FROM rig_gpus GROUP BY state_id HAVING count(power_w) = count(*)
) AS g ON g.state_id = m.state_id
WHERE m.quantity IN ('decode', 'wall', 'prefill') AND m.status IN ('active', 'flagged')
    AND r.outcome IN ('ok', 'partial') AND r.model IS NOT NULL AND r.quant IS NOT NULL
    AND coalesce(m.value, (m.low + m.high) / 2) > 0
    AND m.measurement_id NOT IN (SELECT measurement_id FROM repeated);
