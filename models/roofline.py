"""The plain roofline: host bytes of a pass at the read bandwidth, times one constant."""

from models.parameters import Parameters
from models.physics import Inputs, Number, union_growth


def roofline_tokens_per_s(x: Inputs, p: Parameters, constant: float = 1.0) -> Number:
    """Give the speed if memory alone bound: bandwidth over the bytes that the host reads.

    With everything on the cards no host byte is read; a token's dense bytes then stand for them.
    """
    routed = union_growth(x.verified, x.expert_share) * x.routed_gb * x.cpu_share * (1 - x.hit_rate)
    host_gb = routed + x.dense_gb * x.dense_on_cpu
    # 1 % of the dense bytes keeps the quotient finite where nothing is left on the host.
    return constant * x.tokens_per_pass * x.gbps * p.method[x.method] / (host_gb + x.dense_gb / 100)
