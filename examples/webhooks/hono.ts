// Hono, on any runtime. Bun, Deno and workers serve the default export.

import type { WebhookHandler } from '@switchyard/sdk'
import { Hono } from 'hono'
import { env } from 'hono/adapter'
import { receive } from './handler.ts'

const app = new Hono()
// A worker gets its secret with the first request, so the handler is created then, once.
let handler: WebhookHandler | undefined

app.post('/webhooks', (context) => {
  handler ??= receive(env<{ WEBHOOK_SECRET: string }>(context).WEBHOOK_SECRET)
  return handler(context.req.raw)
})

export default app
