/**
 * The script that wrk runs. It reads encoded requests from a file, so that each request costs one table look-up. It has
 * no `response` hook, because with one wrk would pass every header to Lua. wrk calls `request` once before the load, as
 * a check: that call is not counted. wrk does not count requests whose connection was closed, so the script counts what
 * it issued.
 *
 * Arguments: a file with all requests one after another, a file with a line for the length of each.
 */
export const wrkScript = `
local requests = {}
local loader
issued = -1

function setup(thread)
  loader = thread
end

function init(args)
  local file = assert(io.open(args[1], "rb"))
  local bytes = file:read("*a")
  file:close()
  local at = 1
  for line in io.lines(args[2]) do
    local length = tonumber(line)
    requests[#requests + 1] = bytes:sub(at, at + length - 1)
    at = at + length
  end
  io.stderr:write("ready\\n")
end

function request()
  local n = issued
  issued = n + 1
  if n < 0 then return requests[1] end
  return requests[n % #requests + 1]
end

function done(summary, latency)
  local errors = summary.errors
  io.write("\\nRESULT " .. string.format(
    '{"issued":%d,"answered":%d,"durationUs":%d,"meanUs":%.3f,"p50Us":%.3f,"p99Us":%.3f,',
    loader:get("issued"), summary.requests, summary.duration,
    latency.mean, latency:percentile(50), latency:percentile(99)))
  io.write(string.format(
    '"errors":{"connect":%d,"read":%d,"write":%d,"timeout":%d,"status":%d}}\\n',
    errors.connect, errors.read, errors.write, errors.timeout, errors.status))
end
`;

/** The JSON that the script prints at the end, after "RESULT ". */
export interface WrkReport {
  readonly issued: number;
  readonly answered: number;
  readonly durationUs: number;
  readonly meanUs: number;
  readonly p50Us: number;
  readonly p99Us: number;
  readonly errors: {
    readonly connect: number;
    readonly read: number;
    readonly write: number;
    readonly timeout: number;
    /** Statuses over 399. */
    readonly status: number;
  };
}
