// Sends webhooks of a provider, signed with the secret that the simulator has for the account.

import { expect } from 'vitest'
import { sign } from '../../../simulator/src/signature.ts'
import type { simulatorForThisFile } from './simulator.ts'
import type { switchyardForThisFile } from './switchyard.ts'

type Simulator = Awaited<ReturnType<typeof simulatorForThisFile>>
type Switchyard = Awaited<ReturnType<typeof switchyardForThisFile>>

export function createWebhookSender(simulator: Simulator, switchyard: Switchyard) {
  let sentCount = 0

  async function sendCallback(accountId: string, members: object): Promise<void> {
    sentCount += 1
    const path = `/provider-webhooks/${accountId}`
    const body = JSON.stringify({ id: `event_${sentCount}`, ...members })
    const { secrets } = await simulator.fetchConfig(accountId)
    const signed = { role: 'callback', method: 'POST', path, body } as const
    const headers = { 'switchyard-signature': sign(signed, secrets, Math.floor(Date.now() / 1000)) }
    const { status } = await switchyard.call('test', 'POST', path, undefined, { raw: body, headers })
    expect(status).toBe(200)
  }

  return {
    sendCallback,
    send: (accountId: string, operation: object, type = 'operation.updated') =>
      sendCallback(accountId, { type, operation }),
  }
}
