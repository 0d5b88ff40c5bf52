// The input of the probe: a workspace, a freshly signed webhook, and the published vectors.

import { signWebhook } from '../../src/index.ts'
import { attemptOf, vectors } from '../support/vectors.ts'
import { newEvent, secret } from '../support/webhook-receiver.ts'
import type { ProbeInput } from './probe.ts'

export async function probeInputFor(workspace: Pick<ProbeInput, 'baseUrl' | 'token'>): Promise<ProbeInput> {
  return {
    ...workspace,
    secret,
    webhook: await signWebhook(newEvent(), secret),
    vectors: vectors.map((vector) => ({
      name: vector.name,
      body: vector.body,
      headers: vector.headers,
      secrets: vector.secrets,
      at: attemptOf(vector).toISOString(),
      isStandard: vector.standard_webhooks !== undefined,
      outcome: vector.refused_as ?? JSON.parse(vector.data).type,
    })),
  }
}
