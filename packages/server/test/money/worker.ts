// A process that plays stories. It is told what to play, tells how far it is, and ends with what it found.

import { type Campaign, carryThrough, type Result } from './campaign.ts'

export type FromWorker = { readonly played: number } | { readonly result: Result }

const everyMs = 500

// Whoever sent it out is gone.
process.once('disconnect', () => process.exit(1))
process.once('message', async (campaign: Campaign) => {
  let played = 0
  const timer = setInterval(() => process.send?.({ played } satisfies FromWorker), everyMs)
  const result = await carryThrough(campaign, () => {
    played += 1
  })
  clearInterval(timer)
  process.send?.({ result } satisfies FromWorker, () => process.exit(0))
})
