/** A QR code, rendered in the browser, so that its content is not sent to another service. */
import { useMemo } from 'react'
import { encode } from 'uqr'

/** The capacity of version 10 at error correction level M. Phones read larger versions poorly from a screen. */
const maxBytes = 213

/** Renders nothing if the text is too long. The page also shows the text itself. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const path = useMemo(() => pathOf(text), [text])
  if (path === null) return null
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${path.size} ${path.size}`}
      shapeRendering="crispEdges"
      className="w-full max-w-50 rounded-control"
    >
      {/* Dark on light in both themes: many cameras cannot read inverted codes. */}
      <rect width={path.size} height={path.size} fill="#fff" />
      <path d={path.d} fill="#000" />
    </svg>
  )
}

function pathOf(text: string): { size: number; d: string } | null {
  if (new TextEncoder().encode(text).length > maxBytes) return null
  // The border is the quiet zone that readers need around the code.
  const { data, size } = encode(text, { ecc: 'M', border: 4 })
  const dark = data.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')))
  return { size, d: dark.join('') }
}
