// The rig of a request in the model's terms: a port of models/rig.py.
import { Misuse } from "./model.js";
import { find } from "./names.js";

const caution = (code, message, remedy) => ({ code, message, remedy });

/** Read a rig out of a request; what was not given is assumed and listed. */
export function rigOf(request, model) {
  const { constants } = model;
  const cpu = cpuOf(request, model);
  const inferred = [];
  const doubts = {};
  if (!cpu) {
    inferred.push("cpu");
    doubts.core_speed = constants.sd_core_speed;
  }
  const { gbps, method, measured } = bandwidth(request, cpu, model);
  if (measured && request.triad_method === null) {
    inferred.push("triad_method");
    doubts.gbps = constants.sd_method;
  }
  const cores = request.cores || (cpu ? cpu.cores * request.sockets : 1);
  return {
    gbps, method, measured, cores, inferred, doubts,
    sockets: request.sockets,
    core_speed: cpu ? cpu.core_speed : constants.core_speed,
    intel: cpu ? cpu.intel : 0,
    cards: cardsOf(request, model),
    ram_gib: request.ram_gib,
    cautions: [...cautionsOf(request, cores), ...halfFilled(request, cpu)],
  };
}

function cpuOf(request, model) {
  if (request.cpu === null) return null;
  const cpu = find(model.cpus, request.cpu);
  if (!cpu) throw new Misuse(`--cpu: the catalogue has no one processor named '${request.cpu}'; leave it out`);
  return cpu;
}

/** Take the measured figure, else channels by transfer rate under the cap of the core dies. */
function bandwidth(request, cpu, model) {
  if (request.triad_gbps !== null) {
    const method = request.triad_method ?? "stream";
    if (!(method in model.methods)) {
      const known = Object.keys(model.methods).filter((one) => !one.startsWith("rated-")).join(", ");
      throw new Misuse(`--triad-method: no method '${method}'; one of ${known}`);
    }
    return { gbps: request.triad_gbps, method, measured: true };
  }
  const platform = cpu ? cpu.platform : (request.channels ?? 0) <= 2 ? "desktop" : "server";
  const method = `rated-${platform}`;
  const rated = ((request.channels ?? 0) * (request.mts ?? 0) * 8) / 1000;
  const cap = cpu?.read_cap_gbps;
  return { gbps: cap ? Math.min(rated, (cap * request.sockets) / model.methods[method]) : rated, method, measured: false };
}

/** Read the cards: null where nothing was said; `gbps` is the harmonic mean, as layers run in turn. */
function cardsOf(request, model) {
  if (!request.gpus.length) return null;
  const found = [];
  for (const asked of request.gpus) {
    if (asked.name.toLowerCase() === "none") continue;
    const gpu = find(model.gpus, asked.name);
    if (!gpu) throw new Misuse(`--gpu: the catalogue has no one card named '${asked.name}'`);
    for (let card = 0; card < asked.cards; card += 1) found.push(gpu);
  }
  if (!found.length) return { name: "none", gbps: 1, vram_gib: [] };
  const stated = request.vram_gib ? request.vram_gib / found.length : null;
  const gbps = found.length / found.reduce((sum, gpu) => sum + 1 / gpu.gbps, 0);
  return { name: found[0].name, gbps, vram_gib: found.map((gpu) => stated || gpu.vram_gib) };
}

function cautionsOf(request, cores) {
  const found = threadCautions(request.threads, request.smt, cores);
  if (request.sockets > 1) {
    found.push(caution("numa", "several sockets: page placement decides, and one socket alone is often best", "bind to one socket, or interleave and measure"));
  }
  if (request.triad_gbps && request.channels && request.mts) {
    const share = request.triad_gbps / ((request.channels * request.mts * 8) / 1000);
    if (!(share >= 0.3 && share <= 1)) {
      found.push(caution("triad-odd", `the triad is ${Math.round(share * 100)}% of channels x MT/s x 8`, "check channels, MT/s and the figure"));
    }
  }
  return found;
}

/** Warn where half of the processor's memory channels or more stand empty. */
function halfFilled(request, cpu) {
  if (!cpu || !cpu.channels || request.channels === null) return [];
  const total = cpu.channels * request.sockets;
  if (request.channels * 2 > total) return [];
  return [caution("half-filled", `${request.channels} of ${total} memory channels filled: half the bandwidth is missing`, "fill the channels before anything else")];
}

function threadCautions(threads, smt, cores) {
  if (threads === null) return [];
  if (smt && cores < threads && threads <= 2 * cores) {
    return [caution("smt", "SMT threads gave +9 to +25 % on some Intel and -8 % on EPYC: not in the number", `measure against --threads ${cores}`)];
  }
  if (threads > cores) {
    return [caution("threads-over-cores", `${threads} threads on ${cores} cores: over-subscription, speed may collapse`, `use --threads ${cores} or fewer`)];
  }
  if (threads > 1 && threads % 2) {
    return [caution("threads-odd", `${threads} threads: odd counts have halved decoding on wide machines`, `use --threads ${threads - 1}`)];
  }
  if (threads * 4 < cores) {
    return [caution("threads-few", `${threads} threads on ${cores} cores: most of the machine idles`, "leave --threads out for the knee")];
  }
  return [];
}
