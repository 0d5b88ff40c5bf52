/** Measures frame times of a page during an activity. */
import type { Page } from 'playwright-core'

export type FrameTimes = {
  readonly frames: readonly number[]
  readonly rows: number
  readonly heapMb: number
}

/** The interval between calls of `perform`. */
const everyMs = 50

export async function measureFrames(
  page: Page,
  seconds: number,
  perform: () => Promise<unknown>,
): Promise<FrameTimes> {
  await page.evaluate(`{
    globalThis.frames = []
    let before = performance.now()
    const next = (now) => { frames.push(now - before); before = now; requestAnimationFrame(next) }
    requestAnimationFrame(next)
  }`)
  const until = performance.now() + seconds * 1_000
  while (performance.now() < until) {
    await perform()
    await new Promise((resolve) => setTimeout(resolve, everyMs))
  }
  const [frames, rows, heap] = await page.evaluate<[number[], number, number]>(
    "[frames.slice(2), document.querySelectorAll('tr, [role=row], main li').length, performance.memory.usedJSHeapSize]",
  )
  return { frames, rows, heapMb: Math.round(heap / 1_000_000) }
}
