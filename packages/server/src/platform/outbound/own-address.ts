/**
 * Asks an address of this installation, as a caller from outside would. The operator wrote it into the environment, so
 * private networks and this machine are allowed here, though no tenant could have them called.
 */
import { createOutbound } from './client.ts'
import type { OutboundReply } from './outbound.ts'

const privateNetworks = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', 'fc00::/7']

const timeoutMs = 4_000

export async function askOwnAddress(url: string): Promise<OutboundReply> {
  const outbound = createOutbound({ allowCidrs: privateNetworks, allowLoopback: true })
  const reply = await outbound.send({
    ...{ method: 'GET', url, mode: 'test', body: null, headers: { accept: 'application/json' } },
    ...{ timeoutMs, connectMs: timeoutMs, maxAnswerBytes: 10_000, pool: 'own addresses', maxConnections: 1 },
  })
  await outbound.close()
  return reply
}
