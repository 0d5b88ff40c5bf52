/** Summarizes the profiles of `node --cpu-prof`: time by package, by function, and by function with its calls. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { table } from '../table.ts'

type Node = { readonly id: number; readonly callFrame: Frame; readonly children?: readonly number[] }
type Frame = { readonly functionName: string; readonly url: string; readonly lineNumber: number }
type Profile = {
  readonly nodes: readonly Node[]
  readonly samples: readonly number[]
  readonly timeDeltas: readonly number[]
}

const maxRows = 40
/** Skips the start-up, where loading and compiling dominate. */
const skippedUs = 3_000_000

export function describeProfiles(folder: string): string {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.cpuprofile'))
    .map((name) => describe(JSON.parse(readFileSync(join(folder, name), 'utf8'))))
    .join('\n\n')
}

function describe(profile: Profile): string {
  const selfTime = new Map<string, number>()
  const packageTime = new Map<string, number>()
  const inclusiveTime = new Map<string, number>()
  const stackOf = stacksOf(profile)
  let [passedUs, busyUs] = [0, 0]
  for (const [index, id] of profile.samples.entries()) {
    const us = profile.timeDeltas[index] ?? 0
    passedUs += us
    const stack = stackOf(id)
    const [frame] = stack
    if (frame === undefined || frame.functionName === '(idle)' || passedUs < skippedUs) continue
    busyUs += us
    add(selfTime, nameOf(frame), us)
    add(packageTime, packageOf(frame), us)
    const ownFrames = stack.filter(({ url }) => url.includes('/packages/server/')).map(nameOf)
    for (const name of new Set(ownFrames)) add(inclusiveTime, name, us)
  }
  const rows = (times: Map<string, number>) =>
    [...times]
      .toSorted(([, a], [, b]) => b - a)
      .slice(0, maxRows)
      .map(([name, us]) => [name, Math.round(us / 1000), Math.round((us / busyUs) * 1000) / 10])
  return [
    table(['package', 'ms', '%'], rows(packageTime)),
    table(['function, without its calls', 'ms', '%'], rows(selfTime)),
    table(['function of Switchyard, with its calls', 'ms', '%'], rows(inclusiveTime)),
  ].join('\n\n')
}

/** Returns the call stack of a node, innermost function first. */
function stacksOf({ nodes }: Profile): (id: number) => readonly Frame[] {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])))
  const cache = new Map<number, readonly Frame[]>()
  const stackOf = (id: number): readonly Frame[] => {
    const cached = cache.get(id)
    if (cached !== undefined) return cached
    const [node, parent] = [byId.get(id), parents.get(id)]
    const stack = node === undefined ? [] : [node.callFrame, ...(parent === undefined ? [] : stackOf(parent))]
    cache.set(id, stack)
    return stack
  }
  return stackOf
}

function add(times: Map<string, number>, name: string, us: number): void {
  times.set(name, (times.get(name) ?? 0) + us)
}

function nameOf({ functionName, url, lineNumber }: Frame): string {
  const path = url.split(/\/(?:node_modules|packages\/server)\//).at(-1) ?? ''
  return `${functionName || '(anonymous)'}${path === '' ? '' : ` ${path}:${lineNumber + 1}`}`
}

function packageOf({ url, functionName }: Frame): string {
  const [, name] = /\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url) ?? []
  if (name !== undefined) return name
  const [, folder] = /packages\/server\/src\/((?:platform\/)?[^/]+)/.exec(url) ?? []
  if (folder !== undefined) return `switchyard ${folder}`
  if (url.startsWith('node:')) return url.split('/').slice(0, 2).join('/')
  return functionName.startsWith('(') ? functionName : 'native'
}
