// What an export packs: a head in JSON and bytes behind it, compressed, as text.

export async function opened(text) {
  const packed = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  const size = new DataView(bytes.buffer).getUint32(0, true);
  return { head: JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + size))), rest: bytes.subarray(4 + size) };
}
