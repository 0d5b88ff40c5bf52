import type { Deps } from '../../deps.ts'
import type { Door } from '../../platform/http/doors.ts'
import { receiveWebhook } from './service.ts'

export const providerWebhookDoors = (deps: Deps): readonly Door[] => [
  {
    method: 'POST',
    path: '/provider-webhooks/:provider_account_id',
    open: async ({ mode, params, method, path, headers, body }) => {
      await receiveWebhook(deps, mode, params.provider_account_id ?? '', { method, path, headers, body })
      return { is: 'json', body: { received: true } }
    },
  },
]
