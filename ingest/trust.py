"""Which numbers somebody re-ran: the table `again`, told anew only where something changed.

Two numbers confirm each other only between machines with the same processor and cards, so what
changed concerns the machines of a kind: those that changed, as they were and as they are, and those
of which a number became a repeat or is one no more.
"""

import duckdb


def refresh(connection: duckdb.DuckDBPyConnection) -> None:
    """Compare all numbers."""
    connection.execute(f"CREATE TEMP TABLE kinds AS {_ALL}; {_TELL}")


def forget(connection: duckdb.DuckDBPyConnection) -> None:
    """Note the kinds of the machines in `redone`, whose rows are about to be deleted.

    To be followed by `renew` in the same connection, when repeats have been found anew.
    """
    connection.execute(_FORGET)


def renew(connection: duckdb.DuckDBPyConnection, *, everything: bool) -> None:
    """Compare the numbers of all machines of the kinds that changed, or of every kind.

    The latter when who maintains the record changed: it matters whose number another is.
    """
    connection.execute(f"INSERT INTO kinds {_ALL if everything else _CHANGED}; {_TELL}")


_ALL = "SELECT DISTINCT cpu, gpu_names FROM rig_states"

_FORGET = """
CREATE TEMP TABLE kinds AS
SELECT DISTINCT cpu, gpu_names FROM rig_states WHERE rig_id IN (FROM redone);
CREATE TEMP TABLE repeated_before AS SELECT measurement_id FROM repeated;
DELETE FROM again WHERE state_id IN
    (SELECT state_id FROM rig_states WHERE rig_id IN (FROM redone));
"""

_CHANGED = """
SELECT cpu, gpu_names FROM rig_states WHERE rig_id IN (FROM redone) OR state_id IN (
    SELECT state_id FROM measurements WHERE measurement_id IN (
        (FROM repeated_before EXCEPT SELECT measurement_id FROM repeated)
        UNION (SELECT measurement_id FROM repeated EXCEPT FROM repeated_before)
    )
)
"""

_TELL = """
CREATE TEMP TABLE alike AS
SELECT state_id, cpu, gpu_names FROM rig_states SEMI JOIN kinds USING (cpu, gpu_names);
DELETE FROM again WHERE state_id IN (SELECT state_id FROM alike);
CREATE TEMP TABLE told AS
SELECT c.measurement_id, c.state_id, c.rig_id, c.model, c.quant, c.quantity, c.protocol, c.workload,
    c.nominal_tokens, c.context_tokens, c.central, a.cpu, a.gpu_names,
    lower(coalesce(b.submitter, s.author)) AS who
FROM comparable AS c
JOIN alike AS a USING (state_id)
JOIN bundles AS b ON b.bundle_id = c.bundle_id
LEFT JOIN sources AS s ON s.bundle_id = c.bundle_id AND s.source = c.source;
INSERT INTO again
SELECT a.measurement_id, any_value(a.state_id),
    bool_or(o.who NOT IN (SELECT handle FROM maintainers))
FROM told AS a
JOIN told AS o ON o.model = a.model AND o.quant = a.quant AND o.quantity = a.quantity
    AND o.protocol = a.protocol AND o.workload IS NOT DISTINCT FROM a.workload
    AND o.nominal_tokens IS NOT DISTINCT FROM a.nominal_tokens
    AND o.context_tokens IS NOT DISTINCT FROM a.context_tokens
    AND o.cpu = a.cpu AND o.gpu_names = a.gpu_names
    AND o.who <> a.who AND o.rig_id <> a.rig_id
    AND o.central BETWEEN a.central / 1.25 AND a.central * 1.25
GROUP BY a.measurement_id;
DROP TABLE told; DROP TABLE alike; DROP TABLE kinds; DROP TABLE IF EXISTS repeated_before;
"""
