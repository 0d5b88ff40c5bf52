/** The hosted page of an invoice. Payers have no API token: the slug in the URL is signed. */
import type { Deps } from '../../../deps.ts'
import type { PublicRequest, PublicRoute } from '../../../platform/http/public-routes.ts'
import { callerForPayer, downloadPdf, openPayment, requireInvoice, showInvoicePage } from './service.ts'

export const hostedInvoicePublicRoutes = (deps: Deps): readonly PublicRoute[] => {
  const identify = (request: PublicRequest) => {
    const invoice = requireInvoice(deps, request.mode, request.params.slug ?? '')
    return { invoice, caller: callerForPayer(request, invoice) }
  }
  return [
    {
      method: 'GET',
      path: '/i/:slug',
      handle: async (request) => {
        const { invoice, caller } = identify(request)
        return { kind: 'html', html: await showInvoicePage(deps, caller, invoice) }
      },
    },
    {
      method: 'POST',
      path: '/i/:slug/pay',
      takesForm: true,
      handle: async (request) => {
        const { invoice, caller } = identify(request)
        return { kind: 'redirect', to: await openPayment(deps, caller, invoice) }
      },
    },
    {
      method: 'GET',
      path: '/i/:slug/pdf',
      handle: async (request) => {
        const { invoice, caller } = identify(request)
        const { name, bytes } = await downloadPdf(deps, caller, invoice)
        return {
          kind: 'file',
          name,
          contentType: 'application/pdf',
          bytes: bytes.length,
          chunks: chunksOf(bytes),
        }
      },
    },
  ]
}

async function* chunksOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}
