// Sends the requests of a scenario to the real app, with injected faults, and records the responses.

import { trackBackgroundTask } from './harness.ts'
import type { RequestOptions } from './payment-scenario.ts'
import { expireKeyLeases, type HttpRequest, type Response, type ScenarioRun } from './scenario-run.ts'
import { runInProcess, SimulatedProcess } from './simulated-process.ts'

type CallOptions = {
  readonly payload?: object | string
  readonly key?: number
  readonly simulated?: SimulatedProcess
  readonly headers?: Readonly<Record<string, string>>
}

export async function callApi(
  run: ScenarioRun,
  method: 'GET' | HttpRequest['method'],
  url: string,
  { payload, key, simulated = new SimulatedProcess(null), headers: extraHeaders = {} }: CallOptions = {},
): Promise<Response> {
  const { harness, workspace, name } = run
  const headers = {
    authorization: `Bearer ${workspace.token}`,
    ...(key === undefined ? {} : { 'idempotency-key': `${name}-${key}` }),
    ...extraHeaders,
  }
  const injected = runInProcess(simulated, async () =>
    harness.app.inject({ method, url, headers, ...(payload === undefined ? {} : { payload }) }),
  )
  const received = injected.then(({ statusCode, body }) => ({ status: statusCode, text: body }))
  trackBackgroundTask(harness, received, simulated)
  const first = await Promise.race([received, simulated.frozen])
  if (first === undefined) return { status: 0, text: 'frozen', isReceived: false }
  if (simulated.hasCrashed) return { status: 0, text: 'crashed', isReceived: false }
  if (first.status >= 500 && !(first.status === 503 && simulated.fault?.kind === 'loses_commit_response'))
    run.violations.push(`server error: ${first.status} for ${method} ${url}: ${first.text}`)
  return { ...first, isReceived: true }
}

/** Sends a request with the fault of its scenario, and records the responses. */
export async function sendRequest(
  run: ScenarioRun,
  request: RequestOptions,
  httpRequest: HttpRequest,
): Promise<readonly Response[]> {
  run.sent.set(request.id, {
    ...httpRequest,
    isInterrupted: request.fault !== null && request.fault.kind !== 'stalls',
  })
  const send = (simulated: SimulatedProcess) =>
    callApi(run, httpRequest.method, httpRequest.url, { ...httpRequest, key: request.id, simulated })
  const first = send(new SimulatedProcess(request.fault, request.impatient))
  const responses = await Promise.all(
    request.isDuplicated ? [first, send(new SimulatedProcess(null))] : [first],
  )
  for (const response of responses) storeResponse(run, request.id, response)
  return responses
}

/** Repeats a request with the same key; null if it was never sent. */
export async function repeatRequest(run: ScenarioRun, id: number): Promise<Response | null> {
  const sentRequest = run.sent.get(id)
  if (sentRequest === undefined) return null
  // The API rejects a repeated request until the lease of the interrupted one has expired.
  if (sentRequest.isInterrupted) await expireKeyLeases(run)
  const response = await callApi(run, sentRequest.method, sentRequest.url, {
    ...sentRequest,
    key: id,
    simulated: new SimulatedProcess(null),
  })
  storeResponse(run, id, response)
  return response
}

function storeResponse({ responses }: ScenarioRun, id: number, response: Response): void {
  if (response.isReceived) responses.set(id, [...(responses.get(id) ?? []), response])
}

export function responseText({ status, text, isReceived }: Response): string {
  if (!isReceived) return `no response (${text})`
  const body = text === '' ? {} : JSON.parse(text)
  return `${status} ${body.status ?? body.code}${typeof body.code === 'string' ? ` ${body.code}` : ''}`
}
