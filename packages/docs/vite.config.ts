// How what browsers run is built: hashed files below /docs/assets/. The pages are made afterwards, by build.ts.

import { type CSSOptions, defineConfig } from 'vite'

type Plugin = Exclude<CSSOptions['postcss'], string | undefined>['plugins']

/** The theme is shared with the dashboard, where Tailwind reads it. Here its names are properties of the root. */
const themeOfTheRoot: Plugin = [
  {
    postcssPlugin: 'theme-of-the-root',
    AtRule: {
      theme(rule, { Rule }) {
        const nodes = (rule.nodes ?? []).filter((node) => node.type !== 'decl' || node.prop !== '--*')
        rule.replaceWith(new Rule({ selector: ':root', nodes }))
      },
    },
  },
]

/** The server hands out woff2 alone, which every browser that we build for reads. */
const woff2Alone: Plugin = [
  {
    postcssPlugin: 'woff2-alone',
    Once(root) {
      root.walkDecls('src', (source) => {
        source.value = source.value.replaceAll(/,\s*url\([^)]*\.woff\)\s*format\(['"]woff['"]\)/g, '')
      })
    },
  },
]

export default defineConfig({
  root: import.meta.dirname,
  base: '/docs/',
  logLevel: 'warn',
  css: { postcss: { plugins: [...themeOfTheRoot, ...woff2Alone] } },
  build: {
    target: ['es2023', 'chrome123', 'firefox121', 'safari17.5'],
    modulePreload: false,
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    emptyOutDir: true,
    manifest: 'built.json',
    rolldownOptions: { input: ['src/client/main.ts', 'src/client/theme.ts', 'src/style/style.css'] },
  },
})
