// Tells Switchyard that an operation has ended, signed, and again until it is stored there.

import { createHash, createHmac, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'

/** Before each try. */
const waitsMs = [0, 1_000, 5_000, 30_000, 120_000, 600_000]

export type Told = { readonly webhookUrl: string; readonly secret: string }

export async function tellOf(operation: object, to: Told): Promise<void> {
  // The same id in every try: what comes twice is known by it.
  const callback = { id: randomUUID(), type: 'operation.updated', operation }
  for (const waitMs of waitsMs) {
    await sleep(waitMs)
    if (await tell(to.webhookUrl, to.secret, callback).catch(() => false)) return
  }
  // Switchyard also asks by itself, less and less often, for a week.
}

async function tell(webhookUrl: string, secret: string, callback: object): Promise<boolean> {
  const { pathname, search } = new URL(webhookUrl)
  const body = JSON.stringify(callback)
  const t = Math.floor(Date.now() / 1000)
  const digest = createHash('sha256').update(body).digest('hex')
  const text = `callback.${t}.POST.${pathname}${search}.${digest}`
  const v1 = createHmac('sha256', secret).update(text).digest('hex')
  const headers = { 'content-type': 'application/json', 'switchyard-signature': `t=${t},v1=${v1}` }
  const signal = AbortSignal.timeout(10_000)
  const { status } = await fetch(webhookUrl, { method: 'POST', headers, body, signal })
  return status === 200
}
