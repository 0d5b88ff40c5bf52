// What the probe is given: somebody's workspace, a webhook that was signed just now, and the published vectors.

import { signWebhook } from '../../src/index.ts'
import { attemptOf, vectors } from '../support/vectors.ts'
import { anEvent, secret } from '../support/webhook-receiver.ts'
import type { Given } from './probe.ts'

export async function givenFor(workspace: Pick<Given, 'baseUrl' | 'token'>): Promise<Given> {
  return {
    ...workspace,
    secret,
    webhook: await signWebhook(anEvent(), secret),
    vectors: vectors.map((vector) => ({
      name: vector.name,
      body: vector.body,
      headers: vector.headers,
      secrets: vector.secrets,
      at: attemptOf(vector).toISOString(),
      outcome: vector.refused_as ?? JSON.parse(vector.data).type,
    })),
  }
}
