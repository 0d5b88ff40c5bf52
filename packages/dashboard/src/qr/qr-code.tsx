/** A text as a code for the camera of a phone, drawn here: nobody else is told what it says. */
import { useMemo } from 'react'
import { squaresOf } from './matrix.ts'

/** Readers want so many light squares around it. */
const edge = 4

export function QrCode({ text, label }: { text: string; label: string }) {
  const squares = useMemo(() => squaresOf(text), [text])
  if (squares === null) return null
  const size = squares.length + 2 * edge
  const path = squares
    .flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x + edge} ${y + edge}h1v1h-1z` : '')))
    .join('')
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
      className="w-full max-w-50 rounded-control"
    >
      {/* Dark on light in both themes: many cameras read no other. */}
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  )
}
