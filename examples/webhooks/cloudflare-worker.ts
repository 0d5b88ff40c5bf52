// A Cloudflare worker. Its secret is a binding: wrangler secret put WEBHOOK_SECRET

import type { WebhookHandler } from '@switchyard/sdk'
import { receive } from './handler.ts'

type Bindings = { readonly WEBHOOK_SECRET: string }

// Bindings are only available in requests, so the handler is created once, at the first request.
let handler: WebhookHandler | undefined

export default {
  fetch(request: Request, { WEBHOOK_SECRET }: Bindings): Promise<Response> | Response {
    if (request.method !== 'POST') return new Response(null, { status: 405 })
    handler ??= receive(WEBHOOK_SECRET)
    return handler(request)
  },
}
