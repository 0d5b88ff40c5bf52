// What a provider tells us by itself, signed as it signs: with the secret that the simulator knows of its account.

import { expect } from 'vitest'
import { sign } from '../../../simulator/src/signature.ts'
import type { simulatorForThisFile } from './simulator.ts'
import type { switchyardForThisFile } from './switchyard.ts'

type Simulator = Awaited<ReturnType<typeof simulatorForThisFile>>
type Switchyard = Awaited<ReturnType<typeof switchyardForThisFile>>

export function providerOf(simulator: Simulator, switchyard: Switchyard) {
  let told = 0
  return {
    async tell(accountId: string, operation: object, type = 'operation.updated'): Promise<void> {
      told += 1
      const path = `/provider-webhooks/${accountId}`
      const body = JSON.stringify({ id: `word_${told}`, type, operation })
      const { secrets } = await simulator.configOf(accountId)
      const signed = { role: 'callback', method: 'POST', path, body } as const
      const headers = { 'switchyard-signature': sign(signed, secrets, Math.floor(Date.now() / 1000)) }
      const { status } = await switchyard.call('test', 'POST', path, undefined, { raw: body, headers })
      expect(status).toBe(200)
    },
  }
}
