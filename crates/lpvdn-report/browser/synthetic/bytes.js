// Values as the bytes of blobs, little-endian as the machines that run this are.
const bytesOf = (array) => new Uint8Array(array.buffer, array.byteOffset, array.byteLength);

export const floats = (values) => bytesOf(Float32Array.from(values));
export const wholes = (values) => bytesOf(Uint32Array.from(values));
export const json = (value) => new TextEncoder().encode(JSON.stringify(value));

/** [name/0, name/1, …] with so many entries each, made bytes by `pack`. */
export function chunks(name, entries, size, pack) {
  const found = [];
  for (let start = 0; start < entries.length; start += size) {
    found.push([`${name}/${start / size}`, pack(entries.slice(start, start + size))]);
  }
  return found;
}
