/** Where a process spent its time: what `node --cpu-prof` left, by package, by function, and under our own functions. */
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

const shown = 40
/** Loading and compiling at the start would hide what happens afterwards. */
const skippedUs = 3_000_000

export function describeProfiles(folder: string): string {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.cpuprofile'))
    .map((name) => describe(JSON.parse(readFileSync(join(folder, name), 'utf8'))))
    .join('\n\n')
}

function describe(profile: Profile): string {
  const own = new Map<string, number>()
  const packages = new Map<string, number>()
  const under = new Map<string, number>()
  const stackOf = stacksOf(profile)
  let [passedUs, busyUs] = [0, 0]
  for (const [place, id] of profile.samples.entries()) {
    const us = profile.timeDeltas[place] ?? 0
    passedUs += us
    const stack = stackOf(id)
    const [frame] = stack
    if (frame === undefined || frame.functionName === '(idle)' || passedUs < skippedUs) continue
    busyUs += us
    add(own, nameOf(frame), us)
    add(packages, packageOf(frame), us)
    const ours = stack.filter(({ url }) => url.includes('/packages/server/')).map(nameOf)
    for (const name of new Set(ours)) add(under, name, us)
  }
  const rows = (of: Map<string, number>) =>
    [...of]
      .toSorted(([, a], [, b]) => b - a)
      .slice(0, shown)
      .map(([name, us]) => [name, Math.round(us / 1000), Math.round((us / busyUs) * 1000) / 10])
  return [
    table(['package', 'ms', '%'], rows(packages)),
    table(['function, without what it calls', 'ms', '%'], rows(own)),
    table(['function of ours, with what it calls', 'ms', '%'], rows(under)),
  ].join('\n\n')
}

/** From a place in the tree of calls to its functions, the innermost first. */
function stacksOf({ nodes }: Profile): (id: number) => readonly Frame[] {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])))
  const known = new Map<number, readonly Frame[]>()
  const stackOf = (id: number): readonly Frame[] => {
    const seen = known.get(id)
    if (seen !== undefined) return seen
    const [node, parent] = [byId.get(id), parents.get(id)]
    const stack = node === undefined ? [] : [node.callFrame, ...(parent === undefined ? [] : stackOf(parent))]
    known.set(id, stack)
    return stack
  }
  return stackOf
}

function add(to: Map<string, number>, name: string, us: number): void {
  to.set(name, (to.get(name) ?? 0) + us)
}

function nameOf({ functionName, url, lineNumber }: Frame): string {
  const path = url.split(/\/(?:node_modules|packages\/server)\//).at(-1) ?? ''
  return `${functionName || '(anonymous)'}${path === '' ? '' : ` ${path}:${lineNumber + 1}`}`
}

function packageOf({ url, functionName }: Frame): string {
  const [, name] = /\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url) ?? []
  if (name !== undefined) return name
  const [, ours] = /packages\/server\/src\/((?:platform\/)?[^/]+)/.exec(url) ?? []
  if (ours !== undefined) return `switchyard ${ours}`
  if (url.startsWith('node:')) return url.split('/').slice(0, 2).join('/')
  return functionName.startsWith('(') ? functionName : 'native'
}
