// A cluster of nats-servers for tests of node failures. Each node can be killed and started again with the same port and
// the same store.

import { join } from 'node:path'
import { jetStreamReady, type Nats, replicasReady, startNats } from './nats.ts'
import { freePort } from './ports.ts'

export type NatsNode = {
  name: string
  url: string
  /** Changes with every start. */
  readonly pid: number
  /** Sends SIGKILL, so that the node neither notifies the others nor writes anything. */
  kill(): Promise<void>
  /** Resolves when clients can connect again. */
  start(): Promise<void>
}

export type NatsCluster = {
  /** All nodes, separated by commas, for NATS_URL. */
  url: string
  nodes: NatsNode[]
  stop(): Promise<void>
}

type NodeConfig = { name: string; storeDir: string; port: number; clusterPort: number }

export async function startNatsCluster(options: { dir: string; size: number }): Promise<NatsCluster> {
  const configs: NodeConfig[] = []
  for (let number = 1; number <= options.size; number++) {
    const name = `node-${number}`
    const storeDir = join(options.dir, name)
    configs.push({ name, storeDir, port: await freePort(), clusterPort: await freePort() })
  }
  const nodes = await Promise.all(configs.map((config) => startNode(config, configs)))
  const url = nodes.map((node) => node.url).join(',')
  const stop = async () => {
    await Promise.all(nodes.map((node) => node.stop()))
  }
  await Promise.all(nodes.map((node) => jetStreamReady(node.url)))
  await replicasReady(url, options.size)
  return { url, nodes, stop }
}

async function startNode(
  config: NodeConfig,
  allConfigs: NodeConfig[],
): Promise<NatsNode & { stop(): Promise<void> }> {
  const { name, storeDir, port, clusterPort } = config
  const routePorts = allConfigs.filter((other) => other !== config).map((other) => other.clusterPort)
  const startServer = () =>
    startNats({ storeDir, port, name, cluster: { name: 'switchyard', port: clusterPort, routePorts } })
  let server: Nats = await startServer()
  return {
    name,
    url: server.url,
    get pid() {
      return server.pid
    },
    kill: () => server.stop('SIGKILL'),
    async start() {
      server = await startServer()
    },
    stop: () => server.stop(),
  }
}
