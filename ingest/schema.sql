-- The database that everything downstream reads. Derived from data/ and rebuilt whole: never edit it.
-- Units stand in names. Absent is NULL; "known to be off" is a word ('none'); 0 is a measured zero.
-- bundle_id, run_id, state_id, rig_id and measurement_id are keys of their tables. The load checks it:
-- an index for each would be half of the file, and rewritten whole when one bundle changes.

CREATE TABLE bundles (
    bundle_id       VARCHAR NOT NULL,  -- SHA-256, fixed when the bundle was made
    rig_id          VARCHAR NOT NULL,     -- the machine it is about
    state_id        VARCHAR NOT NULL,     -- the machine as populated and clocked then
    submitter       VARCHAR,              -- public handle, or NULL
    schema_version  INTEGER NOT NULL,
    date            DATE,                 -- earliest date of its sources
    path            VARCHAR NOT NULL,     -- folder below data/reports
    content_hash    VARCHAR NOT NULL,     -- SHA-256 over the folder's files
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
    rig_id     VARCHAR NOT NULL,  -- stable key of one box
    label      VARCHAR NOT NULL,     -- what a person calls it: handle, CPU
    submitter  VARCHAR,
    states     INTEGER NOT NULL,
    bundles    INTEGER NOT NULL
);

CREATE TABLE rig_states (
    state_id            VARCHAR NOT NULL,  -- rig_id@state
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
    run_id             VARCHAR NOT NULL,  -- first 12 of bundle_id / run
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
    measurement_id   VARCHAR NOT NULL,  -- run_id / position
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
    status_reason    VARCHAR,
    first_of_kind    BOOLEAN NOT NULL  -- of the run's active numbers of this kind, the one to use
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
    part  VARCHAR PRIMARY KEY,  -- rows | catalog
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
    AND m.first_of_kind;
