/** The pages of customers. Customers have no API token: the slug in the URL is signed. */
import type { Deps } from '../../../deps.ts'
import type { PublicRequest, PublicRoute } from '../../../platform/http/public-routes.ts'
import { callerForPayer, openCardSession, requireCustomerPage, showCardPage } from './service.ts'

export const customerPortalPublicRoutes = (deps: Deps): readonly PublicRoute[] => cardPageRoutes(deps)

const cardPageRoutes = (deps: Deps): readonly PublicRoute[] => {
  const identify = (request: PublicRequest) => {
    const customer = requireCustomerPage(deps, request.mode, request.params.slug ?? '')
    return { customer, caller: callerForPayer(request, customer) }
  }
  return [
    {
      method: 'GET',
      path: '/u/:slug',
      handle: async (request) => {
        const { customer, caller } = identify(request)
        const { checkout_session_id: sessionId } = request.query
        return { kind: 'html', html: await showCardPage(deps, caller, customer, sessionId) }
      },
    },
    {
      method: 'POST',
      path: '/u/:slug',
      takesForm: true,
      handle: async (request) => {
        const { customer, caller } = identify(request)
        return { kind: 'redirect', to: await openCardSession(deps, caller, customer) }
      },
    },
  ]
}
