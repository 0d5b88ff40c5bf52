// Several nats-servers that form one cluster, each of which can be killed and started again where it was:
// same ports, same store. For tests of what a lost node costs.

import { join } from 'node:path'
import { jetStreamReady, type Nats, startNats } from './nats.ts'
import { freePort } from './ports.ts'

export type NatsNode = {
  name: string
  url: string
  /** Changes with every start. */
  readonly pid: number
  /** SIGKILL: nothing is said to the others, nothing is written. */
  kill(): Promise<void>
  /** Settles when clients may connect to it again. */
  start(): Promise<void>
}

export type NatsCluster = {
  /** All nodes, separated by commas: what NATS_URL takes. */
  url: string
  nodes: NatsNode[]
  stop(): Promise<void>
}

type Place = { name: string; storeDir: string; port: number; clusterPort: number }

export async function startNatsCluster(options: { dir: string; size: number }): Promise<NatsCluster> {
  const places: Place[] = []
  for (let number = 1; number <= options.size; number++) {
    const name = `node-${number}`
    const storeDir = join(options.dir, name)
    places.push({ name, storeDir, port: await freePort(), clusterPort: await freePort() })
  }
  const nodes = await Promise.all(places.map((place) => startNode(place, places)))
  const url = nodes.map((node) => node.url).join(',')
  const stop = async () => {
    await Promise.all(nodes.map((node) => node.stop()))
  }
  await Promise.all(nodes.map((node) => jetStreamReady(node.url)))
  return { url, nodes, stop }
}

async function startNode(place: Place, all: Place[]): Promise<NatsNode & { stop(): Promise<void> }> {
  const { name, storeDir, port, clusterPort } = place
  const routePorts = all.filter((other) => other !== place).map((other) => other.clusterPort)
  const begin = () =>
    startNats({ storeDir, port, name, cluster: { name: 'switchyard', port: clusterPort, routePorts } })
  let server: Nats = await begin()
  return {
    name,
    url: server.url,
    get pid() {
      return server.pid
    },
    kill: () => server.stop('SIGKILL'),
    async start() {
      server = await begin()
    },
    stop: () => server.stop(),
  }
}
