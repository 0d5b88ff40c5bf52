// Sends a signed callback to Switchyard when an operation has ended, and retries until it is accepted.

import { createHash, createHmac, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'

/** The delay before each attempt. */
const delaysMs = [0, 1_000, 5_000, 30_000, 120_000, 600_000]

export type CallbackTarget = { readonly webhookUrl: string; readonly secret: string }

export async function sendCallback(operation: object, target: CallbackTarget): Promise<void> {
  // Use the same id in every attempt, so that duplicates are detected.
  const callback = { id: randomUUID(), type: 'operation.updated', operation }
  for (const waitMs of delaysMs) {
    await sleep(waitMs)
    if (await postCallback(target.webhookUrl, target.secret, callback).catch(() => false)) return
  }
  // Switchyard also polls the provider for a week, with increasing intervals.
}

async function postCallback(webhookUrl: string, secret: string, callback: object): Promise<boolean> {
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
