// Checks pages with axe. Open the pages with `bypassCSP`, because their content security policy blocks the
// axe script.

import axe from 'axe-core'
import type { Frame, Page } from 'playwright-core'

type Rules = { readonly type: 'tag' | 'rule'; readonly values: readonly string[] }

const allRules: Rules = {
  type: 'tag',
  values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
}
/** Rules for the second theme of a page, in which only the colors differ. */
export const colorRules: Rules = { type: 'rule', values: ['color-contrast', 'link-in-text-block'] }
/** Color rules including the contrast of level AAA. */
export const enhancedColorRules: Rules = { type: 'tag', values: ['cat.color'] }

/** Injects axe. Call this after each navigation. */
export async function loadAxe(page: Page | Frame): Promise<void> {
  await page.evaluate(axe.source)
}

type Options = { readonly rules?: Rules; readonly exclude?: readonly string[] }

export async function findViolations(
  page: Page,
  { rules = allRules, exclude = [] }: Options = {},
): Promise<string[]> {
  const context = JSON.stringify({ exclude })
  const options = JSON.stringify({ runOnly: rules, resultTypes: ['violations'] })
  const { violations } = (await page.evaluate(
    `axe.run(${exclude.length === 0 ? 'document' : context}, ${options})`,
  )) as { violations: { id: string; nodes: { target: unknown; failureSummary: string }[] }[] }
  return violations.map(({ id, nodes }) => `${id}: ${JSON.stringify(nodes[0])}`)
}
