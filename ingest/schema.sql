-- The database that everything downstream reads. Derived from data/ and rebuilt whole: never edit it.
-- Units stand in names. Absent is NULL; "known to be off" is a word ('none'); 0 is a measured zero.
-- bundle_id, run_id, state_id, rig_id and measurement_id are keys of their tables. The load checks it:
-- an index for each would be half of the file, and rewritten whole when one bundle changes.

CREATE TABLE bundles (
    bundle_id       VARCHAR NOT NULL,  -- SHA-256, fixed when the bundle was made
    rig_id          VARCHAR NOT NULL,     -- the machine it is about
    state_id        VARCHAR NOT NULL,     -- the machine as populated and clocked then
    submitter       VARCHAR,              -- public handle, or NULL
    schema_version  INTEGER NOT NULL,     -- format of report.json
    date            DATE,                 -- earliest date of its sources
    path            VARCHAR NOT NULL,     -- folder below data/reports
    content_hash    VARCHAR NOT NULL,     -- SHA-256 over the folder's files
    raw             VARCHAR,              -- what lies beside it: rows | report | log, or NULL
    status          VARCHAR NOT NULL      -- active | flagged | superseded | retracted
);

CREATE TABLE sources (
    bundle_id  VARCHAR NOT NULL,
    source     INTEGER NOT NULL,  -- position in the bundle; evidence points at it
    kind       VARCHAR NOT NULL,  -- thread | issue | comment | document | table | upload | capture | file
    url        VARCHAR NOT NULL,  -- where it was published
    author     VARCHAR,           -- public handle
    date       DATE,              -- of publication
    post       INTEGER            -- order of the post in a thread
);

CREATE TABLE machines (
    rig_id     VARCHAR NOT NULL,  -- stable key of one box
    label      VARCHAR NOT NULL,     -- what a person calls it: handle, CPU
    submitter  VARCHAR,              -- public handle, or NULL
    states     INTEGER NOT NULL,     -- how many rig states are known
    bundles    INTEGER NOT NULL      -- how many bundles are about it
);

CREATE TABLE rig_states (
    state_id            VARCHAR NOT NULL,  -- rig_id@state
    rig_id              VARCHAR NOT NULL,
    state               VARCHAR NOT NULL,     -- key of the state within its machine
    cpu_model           VARCHAR,              -- as written
    cpu                 VARCHAR,              -- catalogue id
    generation          VARCHAR,              -- catalogue id of the core generation
    all_core_ghz        DOUBLE,               -- clock under load on all cores
    sockets             INTEGER,              -- processors
    cores               INTEGER,              -- physical, all sockets
    threads             INTEGER,              -- logical, all sockets
    guest               BOOLEAN,              -- runs in a virtual machine or container
    memory_gib          DOUBLE,               -- host RAM
    memory_kind         VARCHAR,              -- DDR4, DDR5, LPDDR5 …
    mts                 DOUBLE,               -- configured transfer rate, MT/s
    dimms               VARCHAR,              -- modules as written
    channels_populated  INTEGER,              -- all sockets
    channels_total      INTEGER,              -- of the board, all sockets
    numa_nodes          INTEGER,              -- as the system shows them
    thp                 VARCHAR,              -- transparent huge pages: always | madvise | never
    gpu_count           INTEGER,              -- 0 = known to have none
    gpu_names           VARCHAR,              -- e.g. "2x RTX 3090"
    vram_gib            DOUBLE,               -- all cards together
    os                  VARCHAR,              -- as written
    environment         VARCHAR,              -- bare metal, WSL, a container … as written
    inferred            VARCHAR[]             -- columns whose value was inferred
);

CREATE TABLE rig_gpus (
    state_id         VARCHAR NOT NULL,
    card             INTEGER NOT NULL,  -- position in the box, from 0
    name             VARCHAR NOT NULL,  -- as written
    gpu              VARCHAR,           -- catalogue id
    vram_mib         DOUBLE,            -- of this card
    power_w          DOUBLE,            -- power limit in force
    power_default_w  DOUBLE,            -- power limit as shipped
    link             VARCHAR            -- PCIe generation and width, as written
);

CREATE TABLE rig_bandwidth (
    state_id    VARCHAR NOT NULL,
    bundle_id   VARCHAR NOT NULL,
    gbps        DOUBLE,            -- the figure, NULL where only a range was published
    low         DOUBLE,            -- GB/s, lower end of a range
    high        DOUBLE,            -- GB/s, upper end of a range
    method      VARCHAR NOT NULL,  -- catalogue id: methods are never mixed without a term
    threads     INTEGER,           -- threads of the probe
    under_load  BOOLEAN,           -- taken while something else ran: reads low
    how         VARCHAR NOT NULL,  -- measured | reported | inferred
    note        VARCHAR            -- what the source adds
);

CREATE TABLE runs (
    run_id             VARCHAR NOT NULL,  -- first 12 of bundle_id / run
    position           INTEGER NOT NULL,  -- place in the bundle: /runs/<position>
    bundle_id          VARCHAR NOT NULL,
    rig_id             VARCHAR NOT NULL,
    state_id           VARCHAR NOT NULL,
    slug               VARCHAR,   -- only when weights, engine and launch are the catalogue's
    named              VARCHAR,   -- the name the text uses
    model              VARCHAR,   -- catalogue id of what was really served
    quant              VARCHAR,   -- catalogue id
    weights_spelled    VARCHAR,   -- as written, where it is not mapped
    weights_gib        DOUBLE,    -- size of the files served
    engine             VARCHAR,   -- catalogue id
    engine_build       VARCHAR,   -- as stated
    threads            INTEGER,   -- that decode
    threads_batch      INTEGER,   -- that read the prompt
    batch              INTEGER,   -- logical batch of the prompt
    ubatch             INTEGER,   -- physical batch of the prompt
    ctx                INTEGER,   -- context allocated, tokens
    kv                 VARCHAR,   -- type of the KV cache
    gpus_used          INTEGER,   -- cards that the run used
    sockets_used       INTEGER,   -- processors that the run was bound to
    numa               VARCHAR,   -- flag, as given
    tensor_parallel    INTEGER,   -- cards that share each layer
    thinking           BOOLEAN,   -- whether the model thought aloud
    offload            VARCHAR,   -- resident | experts | layers | cpu-only | fit | engine-managed
    layers_on_cpu      INTEGER,   -- layers whose routed experts sit in host RAM
    offload_rules      VARCHAR,   -- override rules, as given
    drafter            VARCHAR,   -- 'none' = known to be off, NULL = unknown
    drafter_depth      INTEGER,   -- tokens drafted per pass
    drafter_device     VARCHAR,   -- cpu | gpu
    expert_cache       VARCHAR,   -- 'none' = known to be off, 'on', NULL = unknown
    cache_mib          DOUBLE,    -- pool over all cards, NULL where automatic
    cache_reserve_mib  DOUBLE,    -- kept free for it
    cache_note         VARCHAR,   -- what the source adds
    origin             VARCHAR,   -- suite | rerun | standalone
    rerun_of           VARCHAR,   -- run of the same bundle that it repeats
    series             VARCHAR,   -- sweep that it is one point of
    series_axis        VARCHAR,   -- what the sweep varies
    outcome            VARCHAR NOT NULL,  -- ok | partial | failed | refused
    outcome_stage      VARCHAR,   -- stage that failed
    outcome_reason     VARCHAR,   -- why, as told
    suite_overall      VARCHAR,   -- verdict of the report suite
    suite_exit         INTEGER,   -- exit code of the report suite
    verify             VARCHAR,   -- stage outcomes
    stress             VARCHAR,   -- as verify
    soak               VARCHAR,   -- as verify
    bench              VARCHAR,   -- as verify
    agentic            VARCHAR,   -- as verify
    inferred           VARCHAR[], -- pointers below the run whose value was inferred
    status             VARCHAR NOT NULL, -- active | flagged | superseded | retracted
    status_reason      VARCHAR    -- why it is not active
);

CREATE TABLE stages (
    run_id   VARCHAR NOT NULL,
    stage    VARCHAR NOT NULL,  -- verify | stress | soak | bench | agentic
    outcome  VARCHAR NOT NULL,  -- pass | advisory | fail | timeout | skipped
    passed   INTEGER,           -- checks passed
    total    INTEGER,           -- checks made
    exit     INTEGER,           -- exit code
    note     VARCHAR            -- what the source adds
);

CREATE TABLE quality (
    run_id    VARCHAR NOT NULL,
    pack      VARCHAR NOT NULL,  -- name of the question pack
    version   VARCHAR,           -- of the pack
    passed    DOUBLE NOT NULL,   -- questions answered right
    total     INTEGER NOT NULL,  -- questions asked
    thinking  BOOLEAN,           -- whether the model thought aloud
    skipped   INTEGER            -- questions left out
);

CREATE TABLE anomalies (
    run_id          VARCHAR NOT NULL,
    what            VARCHAR NOT NULL,  -- what was odd, in a word
    boots_affected  INTEGER,           -- server starts that showed it
    boots           INTEGER,           -- server starts in all
    quantities      VARCHAR[],         -- catalogue ids of the figures it touches
    evidence        VARCHAR            -- where it is told
);

CREATE TABLE measurements (
    measurement_id   VARCHAR NOT NULL,  -- run_id / position
    run_id           VARCHAR NOT NULL,
    bundle_id        VARCHAR NOT NULL,
    rig_id           VARCHAR NOT NULL,
    state_id         VARCHAR NOT NULL,
    quantity         VARCHAR NOT NULL,  -- catalogue id: decode, prefill, ttft …
    workload         VARCHAR,           -- catalogue id: narrative, code …
    protocol         VARCHAR NOT NULL,  -- catalogue id: numbers of two protocols are not comparable
    prompt_tokens    INTEGER,           -- length of the prompt
    context_tokens   INTEGER,           -- context filled before the first token
    nominal_tokens   INTEGER,           -- depth that the test was named after
    streams          INTEGER,           -- requests at once
    value            DOUBLE,            -- the number, in unit; NULL where only a range was published
    low              DOUBLE,            -- lower end of a range, or the lowest run
    high             DOUBLE,            -- upper end of a range, or the highest run
    statistic        VARCHAR,           -- single | median | mean | range | approx
    sd               DOUBLE,            -- standard deviation, in unit
    cv               DOUBLE,            -- fraction: 0.05 = 5 %
    n                INTEGER,           -- repetitions
    boots            INTEGER,           -- server starts that it was taken over
    unit             VARCHAR NOT NULL,  -- as the quantity has it
    how              VARCHAR NOT NULL,  -- measured | reported | inferred
    source           INTEGER NOT NULL,  -- position among the sources of its bundle
    source_url       VARCHAR NOT NULL,  -- where it was published
    line             INTEGER,           -- of the raw text beside the bundle
    status           VARCHAR NOT NULL,  -- active | flagged | superseded | retracted
    status_reason    VARCHAR,           -- why it is not active
    first_of_kind    BOOLEAN NOT NULL   -- of the run's active numbers of this kind, the one to use
);

CREATE TABLE statuses (
    bundle_id  VARCHAR NOT NULL,
    target     VARCHAR NOT NULL,  -- JSON pointer, '' = the whole bundle
    state      VARCHAR NOT NULL,  -- active | flagged | superseded | retracted
    reason     VARCHAR NOT NULL,  -- why
    date       DATE NOT NULL,     -- of the change
    "by"       VARCHAR NOT NULL,  -- who changed it
    link       VARCHAR,           -- where it was discussed
    position   INTEGER NOT NULL   -- line of status.jsonl; the last one for a target holds
);

CREATE TABLE problems (
    path      VARCHAR NOT NULL,  -- file
    place     VARCHAR NOT NULL,  -- field in it
    message   VARCHAR NOT NULL,  -- what is wrong, and what would be right
    severity  VARCHAR NOT NULL   -- error | flag | note
);

-- What the rows were made with: a later load redoes what stands under a hash that changed.
CREATE TABLE built (
    part  VARCHAR PRIMARY KEY,  -- rows | catalog | maintainers
    key   VARCHAR NOT NULL      -- hash of what it was made with
);

CREATE TABLE catalog_models (
    model                VARCHAR PRIMARY KEY,
    name                 VARCHAR NOT NULL,
    family               VARCHAR NOT NULL,  -- architecture family
    kind                 VARCHAR NOT NULL,  -- moe | dense
    parameters_b         DOUBLE NOT NULL,   -- all of them
    layers               INTEGER,           -- all of them
    moe_layers           INTEGER,           -- with routed experts
    first_moe_layer      INTEGER,           -- block index, from 0
    experts              INTEGER,           -- routed, a layer
    experts_per_token    INTEGER,           -- chosen by the router
    hidden               INTEGER,           -- width of the residual stream
    expert_ffn           INTEGER,           -- inner width of one expert
    expert_matrices      INTEGER,           -- matrices an expert
    always_active_b      DOUBLE,            -- read for every token outside routed experts
    kv_mib_per_1k        DOUBLE,            -- KV cache at 16 bits
    native_ctx           INTEGER,           -- context that it was trained for, tokens
    inferred             VARCHAR[]
);

CREATE TABLE catalog_variants (
    model               VARCHAR NOT NULL,
    quant               VARCHAR NOT NULL,
    kernel              VARCHAR NOT NULL,  -- of the routed experts
    routed_bits         DOUBLE,            -- of the routed experts
    dense_bits          DOUBLE,            -- of the quant by name
    bundle_mib          DOUBLE[],          -- routed experts of each MoE layer, in order
    routed_gib          DOUBLE,            -- all of them
    dense_gib           DOUBLE,            -- read for every token outside routed experts
    file_gib            DOUBLE,            -- of the whole download
    inferred            VARCHAR[],
    PRIMARY KEY (model, quant)
);

CREATE TABLE catalog_slugs (
    slug            VARCHAR PRIMARY KEY,  -- engine/name
    model           VARCHAR NOT NULL,
    quant           VARCHAR NOT NULL,
    engine          VARCHAR NOT NULL,
    cards           INTEGER NOT NULL,     -- that it is made for
    reference_gpu   VARCHAR NOT NULL,     -- catalogue id of the card that it is made for
    offload         VARCHAR NOT NULL,     -- experts | none
    ctx             INTEGER,              -- context allocated
    ubatch          INTEGER,              -- physical batch of the prompt
    drafter         VARCHAR,              -- kind, or NULL
    drafter_depth   INTEGER,              -- tokens drafted a pass
    drafter_device  VARCHAR,              -- cpu | gpu
    expert_cache    BOOLEAN NOT NULL,     -- has a GPU cache of experts
    host_ram_gib    DOUBLE,               -- that it needs, as its maker states
    status          VARCHAR NOT NULL      -- production | experimental | incubating | deprecated | unknown
);

CREATE TABLE catalog_cpus (
    cpu           VARCHAR PRIMARY KEY,  -- catalogue id
    name          VARCHAR NOT NULL,
    vendor        VARCHAR NOT NULL,     -- maker
    generation    VARCHAR NOT NULL,     -- catalogue id of the core generation
    core_speed    DOUBLE NOT NULL,      -- per clock, Zen 2 = 1
    platform      VARCHAR NOT NULL,     -- desktop | mobile | hedt | workstation | server
    cores         INTEGER NOT NULL,     -- physical, a socket
    threads       INTEGER NOT NULL,     -- logical, a socket
    all_core_ghz  DOUBLE NOT NULL,      -- under load on all cores
    channels      INTEGER NOT NULL,     -- per socket
    memory        VARCHAR NOT NULL,     -- kind it takes
    mts_max       DOUBLE NOT NULL,      -- rated by its maker
    ccds          INTEGER,              -- core dies
    inferred      VARCHAR[]
);

CREATE TABLE catalog_gpus (
    gpu             VARCHAR PRIMARY KEY,  -- catalogue id
    name            VARCHAR NOT NULL,
    vram_gib        DOUBLE NOT NULL,      -- of one card
    bandwidth_gbps  DOUBLE NOT NULL       -- of its memory, as rated by its maker
);

CREATE TABLE catalog_bandwidth (
    method          VARCHAR PRIMARY KEY,  -- catalogue id
    meaning         VARCHAR NOT NULL,     -- what was run
    measured        BOOLEAN NOT NULL,     -- false for what is worked out from a label
    counts          VARCHAR NOT NULL,     -- which traffic it counts: triad | read | copy | rated | unknown
    reads_per_gbps  DOUBLE NOT NULL       -- read bandwidth for each GB/s of it, before any fit
);

CREATE TABLE catalog_protocols (
    protocol   VARCHAR PRIMARY KEY,  -- catalogue id
    meaning    VARCHAR NOT NULL,     -- what was run
    sampling   VARCHAR NOT NULL,     -- sampled | greedy | none | unknown
    clock      VARCHAR NOT NULL,     -- what was divided by what
    canonical  BOOLEAN NOT NULL      -- in leader tables first
);

CREATE TABLE catalog_quantities (
    quantity          VARCHAR PRIMARY KEY,  -- catalogue id
    meaning           VARCHAR NOT NULL,     -- what is measured
    unit              VARCHAR NOT NULL,     -- of its values
    higher_is_better  BOOLEAN               -- NULL where neither is
);

CREATE TABLE catalog_engines (
    engine  VARCHAR PRIMARY KEY,  -- catalogue id
    name    VARCHAR NOT NULL,
    family  VARCHAR NOT NULL      -- engines with the same CPU kernels
);

-- Figures that two runs hardly have in common but by repetition, to three digits. Made by the load to
-- find repeats: `measurements` has what they say.
CREATE TABLE figures (
    run_id  VARCHAR NOT NULL,
    rig_id  VARCHAR NOT NULL,
    figure  UBIGINT NOT NULL  -- hash of model, quantity, workload, protocol, contexts, streams, value
);

-- Every two runs that are one, whichever of several is the first: what `duplicates` is made of.
CREATE TABLE repeats (
    run_id        VARCHAR NOT NULL,  -- the later of the two
    duplicate_of  VARCHAR NOT NULL,  -- run_id of the other
    kind          VARCHAR NOT NULL,  -- exact | near
    shared        INTEGER NOT NULL   -- figures that agree
);

-- Runs published twice: counted once, at the one that names its slug, else at the earlier.
CREATE TABLE duplicates (
    run_id        VARCHAR PRIMARY KEY,
    duplicate_of  VARCHAR NOT NULL,  -- run_id of the first
    kind          VARCHAR NOT NULL,  -- exact | near
    shared        INTEGER NOT NULL   -- figures that agree
);

-- Figures of such runs that the first one has already: they are left out, what is new is not. Made of
-- `duplicates` by the load: to find them anew was half the cost of every question to `comparable`.
CREATE TABLE repeated (
    measurement_id  VARCHAR NOT NULL,
    repeats         VARCHAR NOT NULL  -- measurement_id of the figure that counts
);

-- Handles of CODEOWNERS: who may retract what others submitted.
CREATE TABLE maintainers (handle VARCHAR PRIMARY KEY);  -- lower case, without @

-- The one gate to fits, ranks and comparisons: what stands, ended well, has a number and repeats no
-- earlier run. Everything else stays in `measurements` and in the downloads.
--
-- One row per rig state, run, quantity, workload, protocol, context, streams and thinking; only
-- active rows of runs that ended well. Rows of one group may be compared with each other.
CREATE VIEW comparable AS
SELECT
    m.* EXCLUDE (first_of_kind),
    r.slug, r.named, r.model, r.quant, r.engine, r.engine_build, r.threads, r.ubatch, r.ctx, r.kv,
    r.thinking, r.offload, r.layers_on_cpu, r.drafter, r.drafter_depth, r.drafter_device,
    r.expert_cache, r.cache_mib, r.gpus_used, r.series, r.series_axis, r.origin,
    coalesce(m.value, (m.low + m.high) / 2) AS central
FROM measurements AS m
JOIN runs AS r USING (run_id)
WHERE m.status = 'active' AND r.status = 'active' AND r.outcome IN ('ok', 'partial')
    AND coalesce(m.value, m.low, m.high) IS NOT NULL
    AND m.measurement_id NOT IN (SELECT measurement_id FROM repeated)
    AND m.first_of_kind;

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

-- Numbers that somebody re-ran: of the same variant, protocol and workload, by another person on
-- another machine with the same processor and cards, within a quarter (the spread of one rig over
-- days). Made by the load (ingest/trust.py): it compares every number with every other.
CREATE TABLE again (
    measurement_id  VARCHAR NOT NULL,
    state_id        VARCHAR NOT NULL,
    by_others       BOOLEAN NOT NULL  -- by somebody who is no maintainer
);

-- How far each number that counts can be trusted. Computed from what lies there, never declared.
CREATE VIEW trust AS
SELECT c.measurement_id, c.run_id,
    CASE
        WHEN again.by_others THEN 're-run by somebody else'
        WHEN again.measurement_id IS NOT NULL THEN 're-run by a maintainer'
        WHEN b.raw = 'log' THEN 'report with raw log'
        WHEN b.raw = 'report' THEN 'pasted report'
        ELSE 'statement'
    END AS trust,
    CASE
        WHEN again.by_others THEN 5
        WHEN again.measurement_id IS NOT NULL THEN 4
        WHEN b.raw = 'log' THEN 3
        WHEN b.raw = 'report' THEN 2
        ELSE 1
    END AS trust_level,
    again.measurement_id IS NULL AND coalesce(b.raw, 'rows') = 'rows' AS only_said
FROM comparable AS c
JOIN bundles AS b USING (bundle_id)
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
    b.best.method AS bandwidth_method, b.best.gbps AS gbps, g.power_w AS power_cap_w, g.gpus,
    coalesce(m.value, (m.low + m.high) / 2) AS central, m.low, m.high, m.sd, m.cv, m.n
FROM measurements AS m
JOIN runs AS r USING (run_id)
JOIN catalog_protocols AS p USING (protocol)
LEFT JOIN catalog_engines AS e ON e.engine = r.engine
-- Of each number by itself: for two of a million nobody needs the cards of every machine.
LEFT JOIN LATERAL (
    -- A cap is of a card: two cards at 230 W are capped as four are.
    SELECT string_agg(DISTINCT c.gpu, '+' ORDER BY c.gpu) AS gpus,
        CASE WHEN count(c.power_w) = count(*) THEN
            string_agg(DISTINCT round(c.power_w)::INTEGER, '+' ORDER BY round(c.power_w)::INTEGER)
        END AS power_w
    FROM rig_gpus AS c WHERE c.state_id = m.state_id
) AS g ON true
LEFT JOIN LATERAL (
    SELECT first({'method': f.method, 'gbps': coalesce(f.gbps, (f.low + f.high) / 2)}
        ORDER BY c.counts = 'read' DESC, f.method) AS best
    FROM rig_bandwidth AS f JOIN catalog_bandwidth AS c USING (method)
    WHERE f.bundle_id = m.bundle_id AND c.measured AND NOT coalesce(f.under_load, false)
) AS b ON true
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
