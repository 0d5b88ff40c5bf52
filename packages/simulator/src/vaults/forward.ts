/** Forwards a call of a simulated vault to a provider over a real socket, with the fault that was requested. */
import { type IncomingHttpHeaders, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { VaultFault, VaultState } from './vault-state.ts'

export type Forward = {
  readonly method: string
  /** Only this machine: a simulator must not call others. */
  readonly port: number
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
  /** The header in which the vault reports the status of the provider. */
  readonly statusHeader: string
  /** The response of the vault to a call that it rejects. */
  readonly rejection: { readonly status: number; readonly body: object }
}

export async function forward(state: VaultState, call: Forward, response: ServerResponse): Promise<void> {
  state.calls += 1
  const fault = state.faults.shift() ?? null
  if (fault === 'reject') return void respond(response, call.rejection.status, call.rejection.body)
  if (fault === 'server_error') return void respond(response, 500, { title: 'Internal error' })
  if (fault === 'reset_before') return void response.destroy()
  const reply = await send(call, fault === 'reset_during' ? () => response.destroy() : null)
  if (reply === null) return void respond(response, 502, { title: 'The destination did not respond' })
  finish(response, call, fault, reply)
}

export function respond(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

type Reply = { readonly status: number; readonly headers: IncomingHttpHeaders; readonly body: Buffer }

function finish(
  response: ServerResponse,
  { statusHeader }: Forward,
  fault: VaultFault | null,
  reply: Reply,
): void {
  if (fault === 'reset_after' || fault === 'reset_during') return void response.destroy()
  if (fault === 'timeout') return void respond(response, 408, { title: 'Request timeout' })
  if (fault === 'server_error_after') return void respond(response, 500, { title: 'Internal error' })
  const { 'transfer-encoding': _, connection: __, 'content-length': ___, ...headers } = reply.headers
  response.writeHead(reply.status, {
    ...headers,
    'content-length': String(reply.body.length),
    [statusHeader]: String(reply.status),
  })
  if (fault === 'cut') {
    response.write(reply.body.subarray(0, Math.floor(reply.body.length / 2)), () => response.destroy())
    return
  }
  response.end(reply.body)
}

/** Null if there is no response. `whenSent` is called when the whole call was sent. */
function send(
  { method, port, path, headers, body }: Forward,
  whenSent: (() => void) | null,
): Promise<Reply | null> {
  return new Promise((resolve) => {
    const length = { 'content-length': String(Buffer.byteLength(body)) }
    const outgoing = request(
      { host: '127.0.0.1', port, method, path, headers: { ...headers, ...length }, agent: false },
      (incoming) => void read(incoming).then(resolve),
    )
    outgoing.on('error', () => resolve(null))
    outgoing.end(body, () => whenSent?.())
  })
}

async function read(incoming: IncomingMessage): Promise<Reply | null> {
  const chunks: Buffer[] = []
  try {
    for await (const chunk of incoming) chunks.push(chunk as Buffer)
  } catch {
    return null
  }
  return { status: incoming.statusCode ?? 502, headers: incoming.headers, body: Buffer.concat(chunks) }
}
