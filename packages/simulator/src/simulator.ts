/** Starts the simulator: replays the ledger file and starts the HTTP server. */
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { newClock } from './clock.ts'
import { type Config, invalidMembers } from './config.ts'
import { control, isAccountName } from './control.ts'
import { type DialectName, dialectNames } from './dialects/dialect.ts'
import { dialects } from './dialects/dialects.ts'
import { type Journal, memoryJournal, openJournal } from './journal.ts'
import { scheduleDecision } from './run-operation.ts'
import { newDialectServer, newServer } from './server.ts'
import {
  apply,
  createSimulatorState,
  findOrCreateAccount,
  type JournalEntry,
  type SimulatorState,
} from './simulator-state.ts'

export type SimulatorOptions = {
  readonly host?: string
  /** 0, the default, selects a free port. */
  readonly port?: number
  /** The ledger file. Without it the ledger is in memory only. */
  readonly ledgerFile?: string
  /** The URL for payers' browsers, if it differs from the URL that merchants use. */
  readonly publicUrl?: string
  /** Replaces the origin of every `webhook_url`, for example with `http://switchyard:8081`. */
  readonly webhookOrigin?: string
  /** The bearer token for `/control`. Without it, only this machine can call `/control`. */
  readonly controlSecret?: string
  readonly accounts?: readonly (Partial<Config> & { readonly name: string })[]
  /** The dialects that get a port of their own, for official SDKs. 0 selects a free port. */
  readonly dialectPorts?: { readonly [Name in DialectName]?: number }
  /**
   * Sends one byte and closes the connection instead of never responding. The caller does not learn the outcome in
   * either case, but need not wait for its timeout. After the first byte, it cannot assume that the connection was
   * closed before the request arrived.
   */
  readonly closesUnansweredCalls?: boolean
}

export type Simulator = {
  readonly url: string
  /** The URL of each dialect that has a port of its own. */
  readonly dialectUrls: { readonly [Name in DialectName]?: string }
  /** Calls `/control/<path>` without a socket, for tests that call it very often. */
  control<Answer = unknown>(method: string, path: string, body?: object): Promise<Answer>
  stop(): Promise<void>
}

export async function startSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  const { host = '127.0.0.1', port = 0, ledgerFile, publicUrl = null, accounts = [] } = options
  const {
    webhookOrigin = null,
    controlSecret = null,
    dialectPorts = {},
    closesUnansweredCalls = false,
  } = options
  const { journal, lines } = await openLedgerFile(ledgerFile)
  const state = createSimulatorState({ clock: newClock(), journal, webhookOrigin, dialects })
  for (const line of lines) apply(state, line)
  for (const { name, ...config } of accounts) configure(state, name, config)
  resumePendingDecisions(state)

  const { server, closeTunnels } = newServer(state, { publicUrl, controlSecret, closesUnansweredCalls })
  const url = await listen(server, host, port)
  const servers = [server]
  const dialectUrls: { [Name in DialectName]?: string } = {}
  for (const name of dialectNames) {
    const [dialect, dialectPort] = [dialects[name], dialectPorts[name]]
    if (dialect === undefined || dialectPort === undefined) continue
    const dialectServer = newDialectServer(state, dialect, () => publicUrl ?? url)
    dialectUrls[name] = await listen(dialectServer, host, dialectPort)
    servers.push(dialectServer)
  }

  async function stop(): Promise<void> {
    closeTunnels()
    await Promise.all(servers.map(close))
    state.clock.stop()
    await journal.close()
  }

  return { ...inProcessControl(state), url, dialectUrls, stop }
}

async function listen(server: Server, host: string, port: number): Promise<string> {
  // Otherwise, on a busy machine a client may send a request on a connection that is just being closed.
  server.keepAliveTimeout = 60_000
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, host, resolve)
  })
  const { port: boundPort } = server.address() as AddressInfo
  return `http://${host.includes(':') ? `[${host}]` : host}:${boundPort}`
}

async function close(server: Server): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve))
  server.closeAllConnections()
  await closed
}

function inProcessControl(state: SimulatorState): Pick<Simulator, 'control'> {
  return {
    async control<Answer>(method: string, path: string, body?: object): Promise<Answer> {
      state.clock.runDue()
      const [pathname = '', search = ''] = path.split('?', 2)
      const reply = await control(state, {
        method,
        segments: ['control', ...pathname.split('/')],
        query: new URLSearchParams(search),
        bytes: Buffer.from(body === undefined ? '' : '{}'),
        body: body ?? null,
      })
      if (reply.status !== 200) throw new Error(`${method} ${path}: ${JSON.stringify(reply.body)}`)
      return reply.body as Answer
    },
  }
}

async function openLedgerFile(
  file: string | undefined,
): Promise<{ journal: Journal<JournalEntry>; lines: JournalEntry[] }> {
  return file === undefined ? { journal: memoryJournal, lines: [] } : openJournal<JournalEntry>(file)
}

function configure(state: SimulatorState, name: string, config: Partial<Config>): void {
  const invalid = isAccountName(name) ? invalidMembers(config) : ['name']
  if (invalid.length > 0)
    throw new Error(`Account ${name} has unknown or invalid members: ${invalid.join(', ')}.`)
  const account = findOrCreateAccount(state, name)
  account.config = { ...account.config, ...config }
}

/** Schedules the pending decisions again. */
function resumePendingDecisions(state: SimulatorState): void {
  for (const account of state.accounts.values()) {
    for (const operation of account.operations.values()) scheduleDecision({ state, account }, operation)
  }
}
