import type { Deps } from '../../../deps.ts'
import type { PublicRoute } from '../../../platform/http/public-routes.ts'
import { receiveWebhook } from './service.ts'

export const providerWebhookRoutes = (deps: Deps): readonly PublicRoute[] => [
  {
    method: 'POST',
    path: '/provider-webhooks/:provider_account_id',
    handle: async ({ mode, params, method, path, headers, body }) => {
      await receiveWebhook(deps, mode, params.provider_account_id ?? '', { method, path, headers, body })
      return { kind: 'json', body: { received: true } }
    },
  },
]
