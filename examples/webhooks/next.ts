// Next.js: a route handler. Save it as app/webhooks/route.ts.

import { receive } from './handler.ts'

export const POST = receive(process.env.WEBHOOK_SECRET)
