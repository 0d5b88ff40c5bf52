/**
 * Lists. Only the rows on screen exist, whatever the length; the next page is read before its end comes into
 * view. New objects wait behind a pill, so that nothing moves under the pointer.
 */
import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { Rows } from '../api/queries.ts'
import { counted } from '../format/words.ts'
import { useGo } from './link.tsx'
import { type Column, Heads, shape } from './plain-table.tsx'
import { useRowKeys } from './row-keys.ts'
import { ErrorPanel, Skeleton } from './states.tsx'

export { type Column, PlainTable } from './plain-table.tsx'

/** As drawn: on a phone, rows are as high as a finger needs. */
const rowHeight = () => (matchMedia('(width < 900px)').matches ? 48 : 40)
/** So many rows before the end of what is there the next page is asked for. */
const ahead = 15

export function DataTable<Row extends { readonly id: string }>(props: {
  label: string
  columns: readonly Column<Row>[]
  rows: Rows<Row>
  /** Where a row leads, behind the workspace in the address. */
  to?: (row: Row) => string
  empty: ReactNode
  /** How many were made since the list was read. */
  fresh?: { readonly count: number; readonly seen: () => void }
}) {
  const { rows, fresh } = props
  if (rows.error !== null && rows.rows.length === 0)
    return <ErrorPanel error={rows.error} retry={rows.refresh} />
  if (rows.isPending) return <Skeleton rows={8} />
  const show = () => {
    fresh?.seen()
    rows.refresh()
  }
  return (
    <div>
      {fresh !== undefined && fresh.count > 0 && (
        <div className="sticky top-2 z-10 flex justify-center py-1">
          <button
            type="button"
            onClick={show}
            className="min-h-6 rounded-full bg-lock px-3 text-compact font-bold text-surface"
          >
            {fresh.count} new
          </button>
        </div>
      )}
      {rows.rows.length === 0 ? <div>{props.empty}</div> : <Body {...props} />}
    </div>
  )
}

function Body<Row extends { readonly id: string }>(props: {
  label: string
  columns: readonly Column<Row>[]
  rows: Rows<Row>
  to?: (row: Row) => string
}) {
  const { columns, to } = props
  const { rows, error, hasMore, isReadingMore, readMore } = props.rows
  const go = useGo()
  const table = useRef<HTMLTableElement>(null)
  const [margin, setMargin] = useState(0)
  useLayoutEffect(() => setMargin(table.current?.offsetTop ?? 0), [])
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: rowHeight,
    overscan: 12,
    scrollMargin: margin,
  })
  const items = virtual.getVirtualItems()
  const last = items.at(-1)?.index ?? 0
  useEffect(() => {
    // What has failed is asked for again by whoever looks at it, not by each drawing.
    if (error === null && hasMore && !isReadingMore && last >= rows.length - ahead) readMore()
  }, [error, hasMore, isReadingMore, last, rows.length, readMore])
  const open = (index: number) => {
    const row = rows[index]
    if (row !== undefined && to !== undefined) go(to(row))
  }
  const current = useRowKeys(rows.length, open, (index) => virtual.scrollToIndex(index))
  const before = (items[0]?.start ?? margin) - margin
  const after = virtual.getTotalSize() - ((items.at(-1)?.end ?? margin) - margin)
  return (
    <>
      <table
        ref={table}
        aria-label={props.label}
        aria-rowcount={hasMore ? -1 : rows.length}
        className="w-full md:table-fixed"
      >
        <Heads columns={columns} />
        <tbody>
          {before > 0 && <tr style={{ height: before }} />}
          {items.map(({ index }) => {
            const row = rows[index] as Row
            return (
              <tr
                key={row.id}
                aria-rowindex={index + 1}
                onClick={({ target }) => {
                  if (!(target as Element).closest('a, button, input, label')) open(index)
                }}
                className={`h-10 border-b border-line max-md:h-12 ${to === undefined ? '' : 'cursor-pointer hover:bg-canvas'} ${current === index ? 'bg-lock-soft' : ''}`}
              >
                {columns.map((column) => (
                  <td
                    key={column.title}
                    className={`overflow-hidden px-4 text-ellipsis whitespace-nowrap max-md:px-2 ${shape(column)} ${phoneWidth(column)}`}
                  >
                    {column.cell(row)}
                  </td>
                ))}
              </tr>
            )
          })}
          {after > 0 && <tr style={{ height: after }} />}
        </tbody>
      </table>
      {error !== null && <ErrorPanel error={error} retry={readMore} />}
      <p role="status" className="px-4 py-2 text-compact text-ink2">
        {isReadingMore
          ? 'Reading more…'
          : `${counted(rows.length, 'row')} shown${hasMore ? ', more below' : ''}`}
      </p>
    </>
  )
}

/** On a phone a column is as wide as its content needs, and those that may be cut off share the rest. */
function phoneWidth<Row>({ width }: Column<Row>): string {
  return width === undefined ? 'max-md:w-1/2 max-md:max-w-0' : ''
}
