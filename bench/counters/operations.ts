/** What is counted, one row per operation, in the order in which it is done: later ones use what earlier ones made. */
import { countParked } from '../../packages/server/src/platform/engine/parking.ts'
import { reconcilerDefaults } from '../../packages/server/src/platform/engine/reconcile.ts'
import { readDue } from '../../packages/server/src/platform/engine/settle.ts'
import { works } from '../../packages/server/src/worker.ts'
import type { Seeded } from './seed.ts'

export type Operation = {
  readonly name: string
  /** Makes what so many turns need, before anything is counted. */
  readonly prepare?: (turns: number) => Promise<unknown>
  /** Does the operation once more; `turn` counts up, warming up included. */
  readonly run: (turn: number) => Promise<unknown>
}

const body = (turn: number) => ({
  name: `Ada Lovelace ${turn}`,
  email: `ada.${turn}@example.com`,
  metadata: { order: '1815' },
})

export function countedOperations(seeded: Seeded): readonly Operation[] {
  const { door, events, customers, deepPage } = seeded
  const pick = (ids: readonly string[], turn: number) => ids[turn % ids.length] as string
  const get = (path: string) => door.call({ method: 'GET', path })
  const made: string[] = []
  const path = '/customers'

  return [
    { name: 'GET /events/{id}', run: (turn) => get(`/events/${pick(events, turn)}`) },
    { name: 'GET /customers/{id}', run: (turn) => get(`/customers/${pick(customers, turn)}`) },
    { name: 'GET /events, first page', run: () => get('/events') },
    { name: 'GET /events, deep page', run: () => get(`/events?starting_after=${deepPage.event}`) },
    { name: 'GET /events, by type', run: () => get('/events?type=customer.created') },
    { name: 'GET /customers, first page', run: () => get('/customers') },
    { name: 'GET /customers, deep page', run: () => get(`/customers?starting_after=${deepPage.customer}`) },
    { name: 'GET /customers, by e-mail', run: (turn) => get(`/customers?email=ada${turn}@example.com`) },
    {
      name: 'POST /customers',
      run: async (turn) => made.push(await door.call({ method: 'POST', path, body: body(turn) })),
    },
    {
      name: 'POST /customers, with a key',
      run: (turn) => door.call({ method: 'POST', path, body: body(turn), key: `key-${turn}` }),
    },
    {
      name: 'POST /customers, repeated with its key',
      run: (turn) => door.call({ method: 'POST', path, body: body(turn), key: `key-${turn}` }),
    },
    {
      name: 'PUT /customers/{id}',
      run: (turn) =>
        door.call({
          method: 'PUT',
          path: `${path}/${pick(made, turn)}`,
          body: { name: `Augusta Ada King ${turn}` },
        }),
    },
    ...reconcilerOperations(seeded),
  ]
}

/** Looks that find nothing: what an idle system does every few seconds. */
function reconcilerOperations({ door }: Seeded): Operation[] {
  const { deps } = door.switchyard
  const { control: shard } = deps.databases
  return [
    ...works.map((work) => ({
      name: `reconciler, nothing due: ${work.name}`,
      run: () => readDue(shard, deps, work, reconcilerDefaults.maxHeld),
    })),
    { name: 'reconciler, nothing parked', run: () => countParked(shard) },
  ]
}
