/**
 * The HTTP server: the control API, the protocol with signed calls, the 3-D Secure page for payers, card vaults, and tax providers. No response is
 * sent before everything it depends on is synced to disk.
 */
import { createHash, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { control } from './control.ts'
import type { Dialect } from './dialects/dialect.ts'
import { dialectOf, handleAccountCall, handleDialectCall } from './dialects/serve.ts'
import { type Reply, send } from './faults.ts'
import { handleCall } from './gateway.ts'
import { type IncomingCall, readIncomingCall } from './incoming.ts'
import { errorReply } from './records.ts'
import type { SimulatorState } from './simulator-state.ts'
import { serveTax } from './tax/serve.ts'
import { handleChallengePage } from './three-d-secure.ts'
import { handleBasisTheory } from './vaults/basis-theory.ts'
import { handleVgs, serveTunnels } from './vaults/vgs.ts'

export type ServerOptions = {
  /** The URL for payers' browsers, if it differs from the URL that merchants use. */
  readonly publicUrl: string | null
  /** The bearer token of `/control`. Null allows calls from this machine only. */
  readonly controlSecret: string | null
  /** See `SimulatorOptions`. */
  readonly closesUnansweredCalls: boolean
}

export type SimulatorServer = { readonly server: Server; readonly closeTunnels: () => void }

export function newServer(state: SimulatorState, options: ServerOptions): SimulatorServer {
  const server = serverOf((request, response) => serve(state, options, request, response))
  return { server, closeTunnels: serveTunnels(server, state.vaults, () => portOf(server)) }
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port
}

/** A server for one dialect: official SDKs require a separate host. `origin` is the URL of the simulator. */
export function newDialectServer(state: SimulatorState, dialect: Dialect, origin: () => string): Server {
  return serverOf(async (request, response) => {
    const call = await readIncomingCall(request)
    if (call === null) return void response.destroy()
    state.clock.runDue()
    const reply = await handleDialectCall(state, dialect, { call, origin: origin() })
    await state.journal.durable()
    await send(request, response, reply, state.clock)
  })
}

function serverOf(serveCall: (request: IncomingMessage, response: ServerResponse) => Promise<void>): Server {
  return createServer((request, response) => {
    serveCall(request, response).catch((error: unknown) => {
      // The error may have occurred before or after money moved. Close the connection, as a failing provider would.
      console.error(error)
      response.destroy()
    })
  })
}

async function serve(
  state: SimulatorState,
  { publicUrl, controlSecret, closesUnansweredCalls }: ServerOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const incoming = await readIncomingCall(request)
  if (incoming === null) return void response.destroy()
  // Timers can be late. Run due tasks first, so that the request does not see the state before these tasks.
  state.clock.runDue()
  if (incoming.segments[0] === 'tax') return serveTax(state.taxes, incoming, response, state.clock)
  if (incoming.segments[0] === 'vaults') return serveVault(state, incoming, response)
  const origin = publicUrl ?? `http://${request.headers.host}`
  const isControlAllowed = controlSecret === null ? incoming.isLocal : hasSecret(incoming, controlSecret)
  const reply = await replyTo(state, incoming, { origin, isControlAllowed })
  await state.journal.durable()
  const isCut = closesUnansweredCalls && reply.responseMode === 'silence'
  await send(request, response, isCut ? { ...reply, cutAfterBytes: 1 } : reply, state.clock)
}

async function serveVault(
  state: SimulatorState,
  call: IncomingCall,
  response: ServerResponse,
): Promise<void> {
  const { localPort = 0 } = response.socket ?? {}
  const [, vault] = call.segments
  if (vault === 'basis_theory') return handleBasisTheory(state.vaults, call, response, localPort)
  handleVgs(state.vaults, call, response)
}

type CallContext = { readonly origin: string; readonly isControlAllowed: boolean }

function replyTo(
  state: SimulatorState,
  incoming: IncomingCall,
  { origin, isControlAllowed }: CallContext,
): Reply | Promise<Reply> {
  const { method, segments, query, bytes } = incoming
  const [first = '', second, reference] = segments
  if (first === 'control') {
    return isControlAllowed
      ? control(state, incoming)
      : errorReply(
          403,
          'forbidden',
          'Control calls are only accepted from this machine, or with SIMULATOR_SECRET.',
        )
  }
  const account = state.accounts.get(first)
  if (account !== undefined && second === '3ds' && reference !== undefined) {
    const form = new URLSearchParams(method === 'POST' ? bytes.toString() : '')
    const [button, formSecret] = [form.get('result'), form.get('creq')]
    return handleChallengePage({ state, account }, { reference, auto: query.has('auto'), button, formSecret })
  }
  const dialect = account === undefined ? null : dialectOf(state, account)
  if (account !== undefined && dialect !== null)
    return handleAccountCall(state, account, dialect, { call: incoming, origin })
  return handleCall(state, incoming, origin)
}

function hasSecret({ headers }: IncomingCall, secret: string): boolean {
  const hash = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(hash(headers.authorization ?? ''), hash(`Bearer ${secret}`))
}
