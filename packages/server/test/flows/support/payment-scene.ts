// An installation for tests that kill: the API and workers as processes, real NATS, and a simulator that outlives
// them all. What is prepared and looked at goes through an API of our own, which tells no worker anything.

import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect } from 'vitest'
import { databaseClock } from '../../../src/kernel/clock.ts'
import { type Id, uuidOf } from '../../../src/kernel/id.ts'
import { asOwner } from '../../../src/platform/db/owner.ts'
import { streamName } from '../../../src/platform/engine/streams.ts'
import { ledgerOf } from '../../support/ledger.ts'
import { natsForThisFile } from '../../support/nats.ts'
import { type ServerProcess, startServer } from '../../support/server-process.ts'
import { simulatorForThisFile } from '../../support/simulator.ts'
import { switchyardForThisFile, type Workspace } from '../../support/switchyard.ts'
import { withManager } from './running.ts'

export type Request = { readonly path: string; readonly key: string; readonly body: object }
type Start = (command: 'api' | 'worker' | 'all', crashpoint?: string) => Promise<ServerProcess>
type Simulator = Awaited<ReturnType<typeof simulatorForThisFile>>

export async function paymentScene() {
  const nats = natsForThisFile()
  const simulator = await simulatorForThisFile()
  const switchyard = await switchyardForThisFile({
    environment: { SIMULATOR_URL: simulator.url },
    // Processes of their own know no clock that is turned by hand.
    overrides: { clock: databaseClock },
  })
  const running: ServerProcess[] = []
  afterAll(() => Promise.all(running.map((server) => server.kill('SIGKILL'))))

  const start: Start = async (command, crashpoint) => {
    const server = await startServer(command, {
      DATABASE_URL: switchyard.databaseUrl,
      SIMULATOR_URL: simulator.url,
      NATS_URL: nats.url,
      TEST_BASE_URL: switchyard.addresses.test,
      DRAIN_SECONDS: '0',
      ...(crashpoint === undefined ? {} : { CRASHPOINT: crashpoint }),
    })
    running.push(server)
    return server
  }

  return {
    ...{ switchyard, simulator, ledger: ledgerOf(simulator.url), start },
    ...killing(start, simulator),
    ...timeIn(switchyard.databaseUrl, nats),
  }
}

export function ask({ addresses }: ServerProcess, { token }: Workspace, { path, key, body }: Request) {
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    'idempotency-key': key,
  }
  return patiently(addresses.test + path, { method: 'POST', headers, body: JSON.stringify(body) })
}

/** A server that is too busy, as one may be that has just started, is asked again when it says so. */
export async function patiently(url: string, init: RequestInit): Promise<Response> {
  const answer = await fetch(url, init)
  if (answer.status !== 503) return answer
  await sleep(Number(answer.headers.get('retry-after')) * 1000)
  return patiently(url, init)
}

/** Longer than a test takes: the simulator goes on when its time is moved. */
const thinkingMs = 600_000

/** The name of the point that is no line of ours: the provider has the request, and acts when we are dead. */
export const whileAsked = 'provider.asked'

function killing(start: Start, simulator: Simulator) {
  const dieWhileAsked = async (workspace: Workspace, begin: () => Promise<ServerProcess>) => {
    const account = await firstAccountOf(workspace)
    await simulator.configure(account, { latency_ms: thinkingMs })
    const before = (await simulator.callsOf(account)).length
    const server = await begin()
    const arrived = async () => (await simulator.callsOf(account)).length
    await expect.poll(arrived, { timeout: 20_000 }).toBeGreaterThan(before)
    await server.kill('SIGKILL')
    await ledgerOf(simulator.url).advance(thinkingMs)
    await simulator.configure(account, { latency_ms: 0 })
  }

  return {
    /** An API that dies while it carries out the request. */
    async dieAsking(point: string, workspace: Workspace, request: Request): Promise<void> {
      const answers: unknown[] = []
      const begin = async () => {
        const doomed = await start('api', point)
        ask(doomed, workspace, request).then(
          (answer) => answers.push(answer),
          () => {},
        )
        return doomed
      }
      if (point === whileAsked) await dieWhileAsked(workspace, begin)
      else expect(await (await begin()).exited).toBe('SIGKILL')
      expect(answers).toEqual([])
    },
    /** A worker that dies at the first thing it does, which may be before it says that it is ready. */
    async dieWorking(point: string, workspace: Workspace): Promise<void> {
      if (point === whileAsked) return dieWhileAsked(workspace, () => start('worker'))
      const ending = await start('worker', point).then(
        (doomed) => doomed.exited,
        (error: Error) => error.message,
      )
      expect(ending).toContain('SIGKILL')
    },
  }
}

type Placed = { readonly id: string; readonly position: number }

/** The one that is asked first. */
async function firstAccountOf({ get }: Workspace): Promise<string> {
  const { data } = (await get('/provider-accounts')).body
  return data.toSorted((a: Placed, b: Placed) => a.position - b.position)[0].id
}

/** All that may be handed to a worker here. */
const dueIn = (interval: string) =>
  ['operations', 'payments', 'provider_events']
    .map((table) => `update ${table} set due_at = now() + interval '${interval}' where due_at is not null`)
    .join(';')

function timeIn(databaseUrl: string, nats: { readonly url: string }) {
  // The triggers would ask for the event of a change that nobody made.
  const quietly = (statements: string) =>
    asOwner(databaseUrl, (client) => client.query(`set session_replication_role = replica; ${statements}`))

  const keysOver = `update idempotency_keys set lease_until = now() - interval '1 second' where state = 'running'`

  return {
    /** Whoever repeats a request goes on with it, though nobody may ask the provider yet. */
    afterKeys: () => quietly(keysOver),
    /** Whoever held something is dead, its time is over, and all that waits is due. The engine knows nothing of it. */
    async afterLeases(): Promise<void> {
      await quietly(`
        ${keysOver};
        update operations set lease_until = now() - interval '1 second' where due_at is not null;
        ${dueIn('-1 second')}`)
      // What a dead worker was handed would be handed out again after half a minute. Wiped, it is found by its row.
      await withManager(nats.url, (manager) => manager.streams.delete(streamName)).catch(() => {})
    },
    /** The payment is asked about now, and everything else waits: it is what the next worker meets. */
    onlyDue: (paymentId: string) =>
      quietly(`
        ${dueIn('1 hour')};
        update operations set due_at = now()
        where payment_id = '${uuidOf(paymentId as Id<'payment'>)}' and due_at is not null`),
    /** What is neither done nor given up, over all payments of a workspace. */
    async leftOpen({ workspaceId }: Workspace): Promise<string[]> {
      const open = `select kind || ' ' || status as what from operations where workspace_id = $1
        and status in ('sending', 'pending', 'awaiting_customer', 'unknown', 'needs_review')`
      const { rows } = await asOwner(databaseUrl, (client) =>
        client.query<{ what: string }>(open, [uuidOf(workspaceId as Id<'workspace'>)]),
      )
      return rows.map(({ what }) => what)
    },
  }
}
