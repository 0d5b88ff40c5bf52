/**
 * Calls an address of this installation as an external client would. The operator configured it in the
 * environment, so private networks and this machine are allowed here, unlike for tenants.
 */
import { createOutbound } from './client.ts'
import type { OutboundReply } from './outbound.ts'

const privateNetworks = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', 'fc00::/7']

const timeoutMs = 4_000

export async function fetchOwnAddress(url: string): Promise<OutboundReply> {
  const outbound = createOutbound({ allowCidrs: privateNetworks, allowLoopback: true })
  const reply = await outbound.send({
    method: 'GET',
    url,
    mode: 'test',
    body: null,
    headers: { accept: 'application/json' },
    timeoutMs,
    connectMs: timeoutMs,
    maxResponseBytes: 10_000,
    pool: 'own addresses',
    maxConnections: 1,
  })
  await outbound.close()
  return reply
}
