// Express 5. WEBHOOK_SECRET=whsec_... node express.ts

import { toNodeListener } from '@switchyard/sdk/node'
import express from 'express'
import { receive } from './handler.ts'

export const app = express()

// Register it before any body parser: `webhook-signature` covers the raw body.
app.post('/webhooks', toNodeListener(receive(process.env.WEBHOOK_SECRET)))
app.use(express.json())

if (import.meta.main) app.listen(4000, '127.0.0.1')
