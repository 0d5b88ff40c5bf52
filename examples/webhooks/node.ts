// Node without a framework. WEBHOOK_SECRET=whsec_... node node.ts

import { createServer } from 'node:http'
import { toNodeListener } from '@switchyard/sdk/node'
import { receive } from './handler.ts'

export const server = createServer(toNodeListener(receive(process.env.WEBHOOK_SECRET)))

if (import.meta.main) server.listen(4000, '127.0.0.1')
