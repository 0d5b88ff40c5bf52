// A stage: the real app with a clock, two simulated providers and faults of its own. Stories are played on it one
// after the other; several stages of one process play side by side on one database.

import { createHmac } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { type Simulator, startSimulator } from '../../../simulator/src/index.ts'
import { buildApp } from '../../src/app.ts'
import type { Deps } from '../../src/deps.ts'
import { type Id, idFromUuid, idMaker, uuidFloor, uuidOf } from '../../src/kernel/id.ts'
import { createCache } from '../../src/platform/cache.ts'
import { createPerformer } from '../../src/providers/perform.ts'
import { makeWorkspace } from '../../src/setup.ts'
import { type Actor, actorNow, Died } from './actor.ts'
import { type Freezer, hurried, limits, losingCommits, mortal, newFreezer } from './faults.ts'
import type { House } from './house.ts'
import { type PlanName, plans } from './plans.ts'
import { allTerms, type Terms } from './story.ts'
import { newStoryClock, type StoryClock } from './story-clock.ts'

/** Where the payments of a story are made. It is used for a number of stories, one at a time. */
export type Ground = {
  readonly workspaceId: Id<'workspace'>
  readonly token: string
  /** The two provider accounts, in the order in which they are asked. */
  readonly accounts: readonly [string, string]
  /** A kept card. */
  readonly methodId: string
  readonly routeId: string
  /** What is published of the route. */
  plan: PlanName
  revision: number
  stories: number
}

/** What runs though nobody waits for it. */
export type Loose = { readonly ended: Promise<unknown>; readonly actor: Actor | undefined }

export type Stage = {
  readonly house: House
  readonly app: FastifyInstance
  readonly deps: Deps
  readonly clock: StoryClock
  readonly simulator: Simulator
  readonly freezer: Freezer
  readonly loose: Set<Loose>
  /** Accounts that everybody here takes for failing. */
  readonly failing: Set<string>
  /** What must never happen and was seen while it did. */
  readonly wrongs: string[]
  readonly grounds: Map<Terms, Ground>
  close(): Promise<void>
}

export async function openStage(house: House): Promise<Stage> {
  const { switchyard } = house
  const clock = newStoryClock()
  const simulator = await startSimulator()
  const freezer = newFreezer()
  const wrongs: string[] = []
  const loose = new Set<Loose>()
  const failing = new Set<string>()
  const addresses = { live: '', test: '' }
  const outbound = hurried(switchyard.deps.outbound, clock, (reference) =>
    wrongs.push(`sent after its lease: ${reference}`),
  )
  const hashKey = createHmac('sha256', 'requests').digest()
  const deps: Deps = {
    ...switchyard.deps,
    ...{ clock, outbound, addresses, limits },
    // Whether an account fails is for the story to say; when a breaker opens by itself is tested elsewhere.
    health: { ...switchyard.deps.health, isOpen: (id) => failing.has(id), mayProbe: () => false, began() {} },
    simulatorUrl: simulator.url,
    databases: losingCommits(switchyard.deps.databases, (workspaceId) =>
      endKeyLeases(house, workspaceId, uuidFloor(new Date(Date.now() - 60_000))),
    ),
    performer: mortal(createPerformer({ sender: outbound, log: switchyard.log, hashKey }), clock, freezer),
    openAccounts: createCache({ ttlMs: 3_600_000, maxEntries: 1_000 }),
    later: (work) => noteLoose({ loose, wrongs }, work, actorNow()),
  }
  const app = buildApp({ ...switchyard, deps }, 'test')
  addresses.test = await app.listen({ host: '127.0.0.1', port: 0 })
  const close = async () => {
    await app.close()
    await simulator.stop()
  }
  const stage = { house, app, deps, clock, simulator, freezer, loose, failing, wrongs }
  return { ...stage, grounds: new Map(), close }
}

/**
 * Leases of keys run by the time of the database, which no story can move. Whoever has a key that was left, from
 * this id on, may go on with it now.
 */
export async function endKeyLeases(
  { owner }: House,
  workspaceId: Id<'workspace'>,
  floor: string,
): Promise<void> {
  await owner.query({
    name: 'key_leases',
    text: `update idempotency_keys set lease_until = now() - interval '1 second'
      where workspace_id = $1 and id >= $2 and state = 'running'`,
    values: [uuidOf(workspaceId), floor],
  })
}

/** It is remembered until it ends. What fails in it is wrong, unless its process died. */
export function noteLoose(
  { loose, wrongs }: Pick<Stage, 'loose' | 'wrongs'>,
  work: Promise<unknown>,
  actor: Actor | undefined,
): void {
  const ended = work
    .catch((error) => {
      if (!(error instanceof Died) && !isLostCommit(error)) wrongs.push(`failed in the background: ${error}`)
    })
    .finally(() => loose.delete(one))
  const one: Loose = { ended, actor }
  loose.add(one)
}

/** Whoever is told that a commit may or may not have happened has to come again; nothing is wrong with that. */
export function isLostCommit(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'unavailable'
}

/** Old ones go, so that what one workspace holds stays small. */
const storiesPerGround = 60

export async function groundOf(stage: Stage, terms: Terms): Promise<Ground> {
  const known = stage.grounds.get(terms)
  if (known !== undefined && known.stories < storiesPerGround) return known
  if (known !== undefined)
    for (const account of known.accounts) await stage.simulator.control('POST', `${account}/reset`)
  const made = await retried(() => newGround(stage, terms))
  stage.grounds.set(terms, made)
  return made
}

const groundTries = 3

/** On a machine that is very busy something may take too long, which is not what a story is about. */
async function retried<T>(make: () => Promise<T>, triesLeft = groundTries - 1): Promise<T> {
  return make().catch((error) => {
    if (triesLeft === 0) throw error
    return retried(make, triesLeft - 1)
  })
}

async function newGround(stage: Stage, terms: Terms): Promise<Ground> {
  const organizationId = idFromUuid('organization', 'test', idMaker(new Date(), 0)())
  const { workspaceId, token } = await makeWorkspace(stage.deps, {
    ...{ organizationId, mode: 'test', name: 'A story' },
  })
  const call = async (method: 'GET' | 'POST' | 'PUT', url: string, payload?: object) => {
    const headers = { authorization: `Bearer ${token}` }
    const answer = await stage.app.inject({ method, url, headers, ...(payload ? { payload } : {}) })
    if (answer.statusCode >= 300) throw new Error(`${method} ${url}: ${answer.body}`)
    return answer.json()
  }
  const { data } = await call('GET', '/provider-accounts')
  const byPosition = data.toSorted(
    (a: { position: number }, b: { position: number }) => a.position - b.position,
  )
  const [first, second] = byPosition.map(({ id }: { id: string }) => id)
  for (const id of [first, second])
    await call('PUT', `/provider-accounts/${id}`, { config: { ...allTerms[terms], webhooks: 'off' } })
  const card = {
    number: '4242424242424242',
    exp_month: 12,
    exp_year: new Date().getFullYear() + 4,
    cvc: '123',
  }
  const { id: tokenId } = await call('POST', '/tokens', { type: 'card', card })
  const { id: methodId } = await call('POST', '/payment-methods', { token: tokenId })
  const { id: customer_id } = await call('POST', '/customers', { email: 'ada@example.com' })
  await call('POST', `/payment-methods/${methodId}/attach`, { customer_id })
  const accounts = [first, second] as const
  const definition = plans.order.definition(accounts)
  const { id: routeId } = await call('POST', '/payment-routes', { name: 'Cards', ...definition })
  return { workspaceId, token, accounts, methodId, routeId, plan: 'order', revision: 1, stories: 0 }
}
