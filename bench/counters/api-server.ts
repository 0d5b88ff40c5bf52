/**
 * The real app without a socket, set up so that each operation can be counted separately. Shared costs are excluded and
 * measured separately: the token is looked up once and cached, and request log entries are collected instead of written.
 */
import { buildApp } from '../../packages/server/src/app.ts'
import { compose, type Switchyard } from '../../packages/server/src/compose.ts'
import { readConfig } from '../../packages/server/src/config.ts'
import { type Id, idFromUuid } from '../../packages/server/src/kernel/id.ts'
import type { RequestLogEntry } from '../../packages/server/src/platform/http/http-context.ts'
import { setUpWorkspace } from '../../packages/server/src/setup.ts'
import type { Call, Send } from '../payer.ts'
import { temporaryMasterKeys } from '../temporary-postgres.ts'

type App = ReturnType<typeof buildApp>

export type WorkspaceCredentials = { readonly workspaceId: Id<'workspace'>; readonly token: string }

export type ApiServer = WorkspaceCredentials & {
  readonly switchyard: Switchyard
  /** Returns the id of the object, or of the first one in a list. Throws unless the response is a success. */
  readonly call: Send
  /** Returns the request log entries collected since the last call. */
  takeLogEntries(): readonly RequestLogEntry[]
  /** Writes entries in batches, like the server. */
  writeLogEntries(entries: readonly RequestLogEntry[]): Promise<void>
  close(): Promise<void>
}

/** How long tokens stay cached: longer than any measurement. */
const tokenCacheMs = 3_600_000

export type ServerOptions = {
  /** Uses an existing workspace; otherwise creates one. */
  readonly credentials?: WorkspaceCredentials
  /** Required for payments. A new workspace then has two accounts at the simulator. */
  readonly simulatorUrl?: string
}

export async function startApiServer(
  databaseUrl: string,
  { credentials, simulatorUrl }: ServerOptions = {},
): Promise<ApiServer> {
  const config = readConfig({
    DATABASE_URL: databaseUrl,
    MASTER_KEYS: temporaryMasterKeys,
    LOG_LEVEL: 'silent',
    // A small pool, so that the warm-up reaches every connection.
    DATABASE_POOL: '2',
    RATE_LIMIT_TEST: '1000000',
    ...(simulatorUrl === undefined ? {} : { SIMULATOR_URL: simulatorUrl, WEBHOOK_ALLOW_LOOPBACK: 'true' }),
  })
  const overrides = { publish: () => {}, tokenCacheMs, isOverloaded: () => false }
  const switchyard = compose(config, overrides)
  const site = switchyard.httpContext('test')
  let entries: RequestLogEntry[] = []
  const requestLog = { add: (entry: RequestLogEntry) => void entries.push(entry) }
  const app = buildApp({ ...switchyard, httpContext: () => ({ ...site, requestLog }) }, 'test')
  const { workspaceId, token } = credentials ?? (await newWorkspace(switchyard))

  return {
    switchyard,
    workspaceId,
    token,
    call: (call) => send(app, token, call),
    takeLogEntries() {
      const collected = entries
      entries = []
      return collected
    },
    async writeLogEntries(collected) {
      for (const entry of collected) site.requestLog.add(entry)
      await switchyard.flushRequestLog()
    },
    async close() {
      await app.close()
      await switchyard.close()
    },
  }
}

function newWorkspace({ deps }: Switchyard): Promise<WorkspaceCredentials> {
  const organizationId = idFromUuid('organization', 'test', '0190a5c0-0000-7000-8000-000000000000')
  return setUpWorkspace(deps, { organizationId, mode: 'test', name: 'Measured' })
}

async function send(app: App, token: string, { method, path, body, key }: Call): Promise<string> {
  const response = await app.inject({
    method,
    url: path,
    headers: {
      authorization: `Bearer ${token}`,
      ...(key === undefined ? {} : { 'idempotency-key': key }),
    },
    ...(body === undefined ? {} : { body }),
  })
  if (response.statusCode >= 300)
    throw new Error(`${method} ${path} returned ${response.statusCode}: ${response.body}`)
  const object = response.json<{ id?: string; data?: readonly { id: string }[] }>()
  return object.id ?? object.data?.[0]?.id ?? ''
}
