// Hono, wherever it runs: its default export is what Bun, Deno and workers serve.

import type { WebhookHandler } from '@switchyard/sdk'
import { Hono } from 'hono'
import { env } from 'hono/adapter'
import { receive } from './handler.ts'

const app = new Hono()
// A worker has its secret with the first request, so the handler is made then, once.
let handler: WebhookHandler | undefined

app.post('/webhooks', (context) => {
  handler ??= receive(env<{ WEBHOOK_SECRET: string }>(context).WEBHOOK_SECRET)
  return handler(context.req.raw)
})

export default app
