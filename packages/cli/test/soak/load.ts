// Customers that are changed without a pause, at a rate: each change is an event. Now and then a new one comes.

import { setTimeout as sleep } from 'node:timers/promises'
import type { Switchyard } from '@switchyard/sdk'

const objects = 40
/** After so many changes somebody else takes the place. */
const changesOfOne = 50

export function startLoad(client: Switchyard, ratePerSecond: number) {
  let isOver = false
  let made = 0
  const live = async () => {
    while (!isOver) {
      const { id } = await client.customers.create({ name: 'Ada' })
      made += 1
      for (let nth = 1; nth <= changesOfOne && !isOver; nth += 1) {
        await sleep(((objects * 1000) / ratePerSecond) * (0.5 + Math.random()))
        await client.customers.update(id, { name: `Ada ${nth}` })
        made += 1
      }
    }
  }
  const lives = Promise.all(Array.from({ length: objects }, live))
  return {
    made: () => made,
    async stop() {
      isOver = true
      await lives
    },
  }
}
