// The baseline: a Fastify server that serves identical content from memory, with one route for the page and one for
// its data, in a separate process like the server. Prints `ready` when it is listening.

import { readFileSync } from 'node:fs'
import Fastify from 'fastify'

const [port, pageFile = '', linkFile = ''] = process.argv.slice(2)
const [page, link] = [readFileSync(pageFile), readFileSync(linkFile)]
const app = Fastify({ logger: false })

app.get('/l/:slug', async (_, reply) =>
  reply.type('text/html; charset=utf-8').header('content-encoding', 'br').send(page),
)
app.get('/checkout/links/:slug', async (_, reply) => reply.type('application/json').send(link))

await app.listen({ host: '127.0.0.1', port: Number(port) })
console.log('ready')
