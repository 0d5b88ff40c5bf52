/**
 * The real app, but for the socket, arranged so that an operation can be counted by itself. What many
 * operations share is kept out of the count and measured apart: a token is recognized once and remembered,
 * and lines of the request log are collected instead of being written in between.
 */
import { buildApp } from '../../packages/server/src/app.ts'
import { compose, type Switchyard } from '../../packages/server/src/compose.ts'
import { readConfig } from '../../packages/server/src/config.ts'
import { type Id, idFromUuid } from '../../packages/server/src/kernel/id.ts'
import type { RequestLine } from '../../packages/server/src/platform/http/site.ts'
import { makeWorkspace } from '../../packages/server/src/setup.ts'
import type { Call, Send } from '../payer.ts'
import { throwawayKeys } from '../throwaway.ts'

type App = ReturnType<typeof buildApp>

export type Key = { readonly workspaceId: Id<'workspace'>; readonly token: string }

export type FrontDoor = Key & {
  readonly switchyard: Switchyard
  /** Answers the id of the object, or of the first one in a list. Throws unless the answer is a success. */
  readonly call: Send
  /** Lines of the request log that were collected since the last time. */
  takeLines(): readonly RequestLine[]
  /** Writes lines as the server would, in its batches. */
  writeLines(lines: readonly RequestLine[]): Promise<void>
  close(): Promise<void>
}

/** Longer than any measuring takes. */
const tokenMemoryMs = 3_600_000

export type Opening = {
  /** Opens a workspace that the database has; else one is made. */
  readonly known?: Key
  /** For whoever takes payments. A workspace that is made then has two accounts there. */
  readonly simulatorUrl?: string
}

export async function openFrontDoor(
  databaseUrl: string,
  { known, simulatorUrl }: Opening = {},
): Promise<FrontDoor> {
  const config = readConfig({
    DATABASE_URL: databaseUrl,
    MASTER_KEYS: throwawayKeys,
    LOG_LEVEL: 'silent',
    // Few, so that warming up reaches every one of them.
    DATABASE_POOL: '2',
    RATE_LIMIT_TEST: '1000000',
    ...(simulatorUrl === undefined ? {} : { SIMULATOR_URL: simulatorUrl, WEBHOOK_ALLOW_LOOPBACK: 'true' }),
  })
  const still = { publish: () => {}, tokenMemoryMs, isOverloaded: () => false }
  const switchyard = compose(config, still)
  const site = switchyard.siteFor('test')
  let lines: RequestLine[] = []
  const requestLog = { add: (line: RequestLine) => void lines.push(line) }
  const app = buildApp({ ...switchyard, siteFor: () => ({ ...site, requestLog }) }, 'test')
  const { workspaceId, token } = known ?? (await newWorkspace(switchyard))

  return {
    switchyard,
    workspaceId,
    token,
    call: (call) => send(app, token, call),
    takeLines() {
      const taken = lines
      lines = []
      return taken
    },
    async writeLines(taken) {
      for (const line of taken) site.requestLog.add(line)
      await switchyard.flushRequestLog()
    },
    async close() {
      await app.close()
      await switchyard.close()
    },
  }
}

function newWorkspace({ deps }: Switchyard): Promise<Key> {
  const organizationId = idFromUuid('organization', 'test', '0190a5c0-0000-7000-8000-000000000000')
  return makeWorkspace(deps, { organizationId, mode: 'test', name: 'Measured' })
}

async function send(app: App, token: string, { method, path, body, key }: Call): Promise<string> {
  const answer = await app.inject({
    method,
    url: path,
    headers: {
      authorization: `Bearer ${token}`,
      ...(key === undefined ? {} : { 'idempotency-key': key }),
    },
    ...(body === undefined ? {} : { body }),
  })
  if (answer.statusCode >= 300)
    throw new Error(`${method} ${path} answered ${answer.statusCode}: ${answer.body}`)
  const received = answer.json<{ id?: string; data?: readonly { id: string }[] }>()
  return received.id ?? received.data?.[0]?.id ?? ''
}
