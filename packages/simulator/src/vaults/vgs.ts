/**
 * A simulated VGS: creates aliases below `/vaults/vgs`, and is a forward proxy on the port of the simulator. It accepts
 * CONNECT, replaces aliases in the calls inside the tunnel, and forwards them. Over loopback there is no TLS.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { type IncomingCall, readIncomingCall } from '../incoming.ts'
import { isObject } from '../protocol.ts'
import { forward, respond } from './forward.ts'
import { addAlias, type VaultState } from './vault-state.ts'

/** `POST /vaults/vgs/aliases {"data": [{"value": "…"}]}`, as in the API of VGS. */
export function handleVgs(
  state: VaultState,
  { body, segments, method }: IncomingCall,
  response: ServerResponse,
): void {
  const data = isObject(body) && Array.isArray(body.data) ? (body.data as unknown[]) : null
  if (segments[2] !== 'aliases' || method !== 'POST' || data === null)
    return void respond(response, 404, { errors: [{ status: 404, title: 'Not found' }] })
  const values = data.map((entry) => (isObject(entry) ? String(entry.value) : ''))
  respond(response, 201, {
    data: values.map((value) => ({ value, aliases: [{ alias: addAlias(state, value) }] })),
  })
}

/**
 * Makes the server a forward proxy. Returns a function that closes all tunnels, because a closing server
 * would wait for them.
 */
export function serveTunnels(server: Server, state: VaultState, port: () => number): () => void {
  const ports = new Map<object, number>()
  const inner = createServer((request, response) => {
    const destination = ports.get(request.socket)
    handleTunnelled(state, request, response, { destination, own: port() }).catch((error: unknown) => {
      console.error(error)
      response.destroy()
    })
  })
  server.on('connect', (request: IncomingMessage, socket: Duplex) => {
    const { authorization } = credentialsOf(request)
    socket.on('error', () => socket.destroy())
    if (authorization === null) return void socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n')
    ports.set(socket, Number(/:(\d+)$/.exec(request.url ?? '')?.[1] ?? 0))
    socket.on('close', () => ports.delete(socket))
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
    inner.emit('connection', socket)
  })
  return () => {
    for (const socket of ports.keys()) (socket as Duplex).destroy()
  }
}

function credentialsOf({ headers }: IncomingMessage): { readonly authorization: string | null } {
  const text = headers['proxy-authorization'] ?? ''
  const decoded = Buffer.from(text.replace(/^Basic /, ''), 'base64').toString()
  return { authorization: decoded.includes(':') && !decoded.includes('invalid') ? decoded : null }
}

async function handleTunnelled(
  state: VaultState,
  request: IncomingMessage,
  response: ServerResponse,
  { destination, own }: { readonly destination: number | undefined; readonly own: number },
): Promise<void> {
  const call = await readIncomingCall(request)
  if (call === null) return void response.destroy()
  const unrouted = { status: 400, body: { error: 'There is no route for this host.' } }
  if (destination !== own) return void respond(response, unrouted.status, unrouted.body)
  const { connection: _, ...headers } = call.headers
  const body = call.bytes
    .toString()
    .replace(/tok_sandbox_[0-9a-f]{32}/g, (alias) => state.aliases.get(alias) ?? alias)
  return forward(
    state,
    {
      method: call.method,
      port: own,
      path: call.path,
      headers,
      body,
      statusHeader: 'VGS-Upstream-Status-Code',
      rejection: unrouted,
    },
    response,
  )
}
