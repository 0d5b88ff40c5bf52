// Creates and updates customers at a constant rate. Each change is an event.

import { setTimeout as sleep } from 'node:timers/promises'
import type { Switchyard } from '@switchyard/sdk'

const concurrentCustomers = 40
/** After this many changes a new customer replaces the current one. */
const changesPerCustomer = 50

export function startLoad(client: Switchyard, ratePerSecond: number) {
  let isStopped = false
  let eventCount = 0
  const changeCustomers = async () => {
    while (!isStopped) {
      const { id } = await client.customers.create({ name: 'Ada' })
      eventCount += 1
      for (let nth = 1; nth <= changesPerCustomer && !isStopped; nth += 1) {
        await sleep(((concurrentCustomers * 1000) / ratePerSecond) * (0.5 + Math.random()))
        await client.customers.update(id, { name: `Ada ${nth}` })
        eventCount += 1
      }
    }
  }
  const workers = Promise.all(Array.from({ length: concurrentCustomers }, changeCustomers))
  return {
    eventCount: () => eventCount,
    async stop() {
      isStopped = true
      await workers
    },
  }
}
