/** How long the frames of a page take while something goes on in it. */
import type { Page } from 'playwright-core'

export type Measured = {
  readonly frames: readonly number[]
  readonly rows: number
  readonly heapMb: number
}

/** So often something is done meanwhile. */
const everyMs = 50

export async function measureFrames(
  page: Page,
  seconds: number,
  act: () => Promise<unknown>,
): Promise<Measured> {
  await page.evaluate(`{
    globalThis.frames = []
    let before = performance.now()
    const next = (now) => { frames.push(now - before); before = now; requestAnimationFrame(next) }
    requestAnimationFrame(next)
  }`)
  const until = performance.now() + seconds * 1_000
  while (performance.now() < until) {
    await act()
    await new Promise((done) => setTimeout(done, everyMs))
  }
  const [frames, rows, heap] = await page.evaluate<[number[], number, number]>(
    "[frames.slice(2), document.querySelectorAll('tr, [role=row], main li').length, performance.memory.usedJSHeapSize]",
  )
  return { frames, rows, heapMb: Math.round(heap / 1_000_000) }
}
