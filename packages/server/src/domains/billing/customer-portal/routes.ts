/**
 * The pages for customers. Customers have no API token: the slug in the URL is signed, and the slug of a
 * portal page also contains the secret of its session. No cookie is used, so another site cannot act for the
 * customer. The portal also refuses forms that another site submits.
 */
import type { Deps } from '../../../deps.ts'
import { refuse } from '../../../kernel/errors.ts'
import { preferredLanguage } from '../../../kernel/hosted-page.ts'
import { operation } from '../../../platform/http/operation.ts'
import type { PublicRequest, PublicResponse, PublicRoute } from '../../../platform/http/public-routes.ts'
import { detailsFrom } from './portal.ts'
import { portalNotices } from './portal-page.ts'
import {
  CreatePortalSession,
  PortalConfigurationObject,
  PortalSessionObject,
  presentConfiguration,
  presentSession,
  UpdatePortalConfiguration,
} from './schema.ts'
import { type ChangeRequest, commitChange, showChange } from './service/change.ts'
import {
  replaceCardInPortal,
  saveDetails,
  selectCard,
  showCardStep,
  showDetails,
  showExpired,
  showOverview,
} from './service/overview.ts'
import {
  createPortalSession,
  getConfiguration,
  openPortal,
  type Portal,
  updateConfiguration,
} from './service/sessions.ts'
import { callerForPayer, openCardSession, requireCustomerPage, showCardPage } from './service.ts'

export const customerPortalOperations = (deps: Deps) => [
  operation({
    id: 'portal_sessions.create',
    method: 'POST',
    path: '/portal-sessions',
    summary: 'Create a portal session',
    description:
      'Creates a session of the customer portal, valid for 30 minutes. Redirect the signed-in customer to `url`, which is returned only once.',
    body: CreatePortalSession,
    status: 201,
    response: PortalSessionObject,
    errors: ['reference_not_found'],
    shownOnce: ['url'],
    present: presentSession,
    handle: ({ caller, body }) => createPortalSession(deps, caller, body),
  }),
  operation({
    id: 'portal_configuration.get',
    method: 'GET',
    path: '/portal-configuration',
    summary: 'Get the portal configuration',
    description: 'Returns what customers can see and change in the customer portal.',
    response: PortalConfigurationObject,
    present: presentConfiguration,
    handle: ({ caller }) => getConfiguration(deps, caller),
  }),
  operation({
    id: 'portal_configuration.update',
    method: 'PUT',
    path: '/portal-configuration',
    summary: 'Update the portal configuration',
    description: 'Omitted fields are unchanged. Changes apply immediately, including to open sessions.',
    body: UpdatePortalConfiguration,
    response: PortalConfigurationObject,
    errors: ['reference_not_found', 'price_inactive', 'conflict'],
    present: presentConfiguration,
    handle: ({ caller, body }) => updateConfiguration(deps, caller, body),
  }),
]

export const customerPortalPublicRoutes = (deps: Deps): readonly PublicRoute[] => [
  ...cardPageRoutes(deps),
  ...portalReadRoutes(deps),
  ...portalWriteRoutes(deps),
]

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

const languagesOf = ({ headers }: PublicRequest) => preferredLanguage(headers['accept-language'])

/** Shows the page for expired sessions, or handles the request. */
async function inPortal(
  deps: Deps,
  request: PublicRequest,
  handle: (portal: Portal) => Promise<PublicResponse>,
): Promise<PublicResponse> {
  requireOwnSite(request)
  const opened = await openPortal(deps, request)
  if (opened.is === 'open') return handle(opened.portal)
  return { kind: 'html', html: await showExpired(deps, opened, languagesOf(request)) }
}

/** The browser sends the header `Sec-Fetch-Site`, which shows whether another site submitted the form. */
function requireOwnSite({ method, headers }: PublicRequest): void {
  const site = headers['sec-fetch-site'] ?? 'same-origin'
  if (method === 'POST' && site !== 'same-origin')
    refuse('foreign_origin', { detail: 'This form was submitted by another site.' })
}

function changeOf(request: PublicRequest): ChangeRequest {
  const { subscription_id: subscriptionId = '', action = '' } = request.params
  return { subscriptionId, action, priceId: request.query.price_id, languages: languagesOf(request) }
}

const portalReadRoutes = (deps: Deps): readonly PublicRoute[] => [
  {
    method: 'GET',
    path: '/p/:slug',
    handle: (request) =>
      inPortal(deps, request, async (portal) => {
        const notice = portalNotices.find((name) => name === request.query.notice) ?? null
        const languages = languagesOf(request)
        return { kind: 'html', html: await showOverview(deps, portal, { notice, languages }) }
      }),
  },
  {
    method: 'GET',
    path: '/p/:slug/card',
    handle: (request) =>
      inPortal(deps, request, async (portal) => ({
        kind: 'html',
        html: await showCardStep(deps, portal, languagesOf(request)),
      })),
  },
  {
    method: 'GET',
    path: '/p/:slug/details',
    handle: (request) =>
      inPortal(deps, request, async (portal) => {
        const languages = languagesOf(request)
        return { kind: 'html', html: await showDetails(deps, portal, { languages, form: null }) }
      }),
  },
  {
    method: 'GET',
    path: '/p/:slug/subscriptions/:subscription_id/:action',
    handle: (request) =>
      inPortal(deps, request, async (portal) => {
        const html = await showChange(deps, portal, changeOf(request))
        return html === null ? toOverview(portal, 'impossible') : { kind: 'html', html }
      }),
  },
]

function toOverview({ url }: Portal, notice: (typeof portalNotices)[number]): PublicResponse {
  return { kind: 'redirect', to: `${url}?notice=${notice}` }
}

const portalWriteRoutes = (deps: Deps): readonly PublicRoute[] => [
  {
    method: 'POST',
    path: '/p/:slug/card',
    takesForm: true,
    handle: (request) =>
      inPortal(deps, request, async (portal) => ({
        kind: 'redirect',
        to: await replaceCardInPortal(deps, portal),
      })),
  },
  {
    method: 'POST',
    path: '/p/:slug/select-card',
    takesForm: true,
    handle: (request) =>
      inPortal(deps, request, async (portal) => {
        await selectCard(deps, portal, request.query.payment_method_id ?? '')
        return toOverview(portal, 'saved')
      }),
  },
  {
    method: 'POST',
    path: '/p/:slug/details',
    takesForm: true,
    handle: (request) =>
      inPortal(deps, request, async (portal) => {
        const form = detailsFrom(request.query)
        if (await saveDetails(deps, portal, form)) return toOverview(portal, 'saved')
        const languages = languagesOf(request)
        return { kind: 'html', html: await showDetails(deps, portal, { languages, form }) }
      }),
  },
  {
    method: 'POST',
    path: '/p/:slug/subscriptions/:subscription_id/:action',
    takesForm: true,
    handle: (request) =>
      inPortal(deps, request, async (portal) => {
        const change = changeOf(request)
        const token = request.query.preview_token ?? ''
        const result = await commitChange(deps, portal, { ...change, token })
        if (result !== 'stale') return toOverview(portal, result)
        const html = await showChange(deps, portal, change, true)
        return html === null ? toOverview(portal, 'impossible') : { kind: 'html', html }
      }),
  },
]
