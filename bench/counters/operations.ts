/** The counted operations, in order: later operations use objects of earlier ones. */
import { countParked } from '../../packages/server/src/platform/engine/parking.ts'
import { readDue } from '../../packages/server/src/platform/engine/read-due.ts'
import { reconcilerDefaults } from '../../packages/server/src/platform/engine/reconcile.ts'
import { workTypes } from '../../packages/server/src/work-types.ts'
import type { Seeded } from './seed.ts'

export type Operation = {
  readonly name: string
  /** Creates the objects for `turns` runs, before counting starts. */
  readonly prepare?: (turns: number) => Promise<unknown>
  /** Runs the operation once. `nth` counts all runs, including the warm-up. */
  readonly run: (nth: number) => Promise<unknown>
}

const body = (nth: number) => ({
  name: `Ada Lovelace ${nth}`,
  email: `ada.${nth}@example.com`,
  metadata: { order: '1815' },
})

export function countedOperations(seeded: Seeded): readonly Operation[] {
  const { api, events, customers, deepPage } = seeded
  const pick = (ids: readonly string[], nth: number) => ids[nth % ids.length] as string
  const get = (path: string) => api.call({ method: 'GET', path })
  const createdIds: string[] = []
  const path = '/customers'

  return [
    { name: 'GET /events/{id}', run: (nth) => get(`/events/${pick(events, nth)}`) },
    { name: 'GET /customers/{id}', run: (nth) => get(`/customers/${pick(customers, nth)}`) },
    { name: 'GET /events, first page', run: () => get('/events') },
    { name: 'GET /events, deep page', run: () => get(`/events?starting_after=${deepPage.event}`) },
    { name: 'GET /events, by type', run: () => get('/events?type=customer.created') },
    { name: 'GET /customers, first page', run: () => get('/customers') },
    { name: 'GET /customers, deep page', run: () => get(`/customers?starting_after=${deepPage.customer}`) },
    { name: 'GET /customers, by e-mail', run: (nth) => get(`/customers?email=ada${nth}@example.com`) },
    {
      name: 'POST /customers',
      run: async (nth) => createdIds.push(await api.call({ method: 'POST', path, body: body(nth) })),
    },
    {
      name: 'POST /customers, with a key',
      run: (nth) => api.call({ method: 'POST', path, body: body(nth), key: `key-${nth}` }),
    },
    {
      name: 'POST /customers, repeated with its key',
      run: (nth) => api.call({ method: 'POST', path, body: body(nth), key: `key-${nth}` }),
    },
    {
      name: 'PUT /customers/{id}',
      run: (nth) =>
        api.call({
          method: 'PUT',
          path: `${path}/${pick(createdIds, nth)}`,
          body: { name: `Augusta Ada King ${nth}` },
        }),
    },
    ...reconcilerOperations(seeded),
  ]
}

/** Queries for due work that find nothing, which an idle system runs every few seconds. */
function reconcilerOperations({ api }: Seeded): Operation[] {
  const { deps } = api.switchyard
  const { control: shard } = deps.databases
  return [
    ...workTypes.map((work) => ({
      name: `reconciler, nothing due: ${work.name}`,
      run: () => readDue(shard, deps, work, reconcilerDefaults.maxQueued),
    })),
    { name: 'reconciler, nothing parked', run: () => countParked(shard) },
  ]
}
