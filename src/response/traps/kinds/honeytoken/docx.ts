import { zip } from "../../../../platform/lib/zip.ts";
import { escapeMarkup } from "../../../../platform/lib/safe-text.ts";
import type { DocumentText } from "../../presentation.ts";

/**
 * Returns a Word document (ECMA-376, transitional) that links an external image of one pixel. Word and LibreOffice
 * request it when they lay out the document: Word outside of Protected View, LibreOffice if its settings allow links.
 */
export function docxDocument(url: string, { title, text }: DocumentText): Uint8Array<ArrayBuffer> {
  const parts: Record<string, string> = {
    "[Content_Types].xml": contentTypes,
    "_rels/.rels": relationships(relation("rId1", "officeDocument", "word/document.xml")),
    "word/document.xml": documentPart(title, text),
    "word/_rels/document.xml.rels": relationships(
      relation("rId1", "image", `${url}/image1.png`, ` TargetMode="External"`),
    ),
  };
  const encoder = new TextEncoder();
  const files = Object.entries(parts).map(([path, part]) => [path, encoder.encode(part)] as const);
  return zip(Object.fromEntries(files));
}

const declaration = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n`;
const formats = "http://schemas.openxmlformats.org";

const contentTypes = `${declaration}<Types xmlns="${formats}/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`;

function relationships(content: string): string {
  return `${declaration}<Relationships xmlns="${formats}/package/2006/relationships">${content}</Relationships>`;
}

function relation(id: string, type: string, target: string, more = ""): string {
  return `<Relationship Id="${id}" Type="${formats}/officeDocument/2006/relationships/${type}" Target="${escapeMarkup(target)}"${more}/>`;
}

function documentPart(title: string, text: string): string {
  const namespaces = [
    `xmlns:w="${formats}/wordprocessingml/2006/main"`,
    `xmlns:r="${formats}/officeDocument/2006/relationships"`,
    `xmlns:wp="${formats}/drawingml/2006/wordprocessingDrawing"`,
    `xmlns:a="${formats}/drawingml/2006/main"`,
    `xmlns:pic="${formats}/drawingml/2006/picture"`,
  ].join(" ");
  const paragraphs = text
    .split(/\n+/)
    .filter((line) => line.trim() !== "")
    .map((line) => `<w:p>${run(line)}</w:p>`);
  const heading = `<w:p><w:pPr><w:spacing w:after="240"/></w:pPr>${run(title, `<w:rPr><w:b/><w:sz w:val="32"/></w:rPr>`)}${image}</w:p>`;
  return `${declaration}<w:document ${namespaces}><w:body>${heading}${paragraphs.join("")}<w:sectPr><w:pgSz w:w="11906" w:h="16838"/><w:pgMar w:top="1440" w:right="1440" w:bottom="1440" w:left="1440" w:header="708" w:footer="708" w:gutter="0"/></w:sectPr></w:body></w:document>`;
}

function run(text: string, properties = ""): string {
  return `<w:r>${properties}<w:t xml:space="preserve">${escapeMarkup(text)}</w:t></w:r>`;
}

/** One pixel at 96 dpi, in English Metric Units. */
const side = 9525;
const image = `<w:r><w:drawing><wp:inline distT="0" distB="0" distL="0" distR="0"><wp:extent cx="${side}" cy="${side}"/><wp:docPr id="1" name="Picture 1"/><a:graphic><a:graphicData uri="${formats}/drawingml/2006/picture"><pic:pic><pic:nvPicPr><pic:cNvPr id="1" name="image1.png"/><pic:cNvPicPr/></pic:nvPicPr><pic:blipFill><a:blip r:link="rId1"/><a:stretch><a:fillRect/></a:stretch></pic:blipFill><pic:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="${side}" cy="${side}"/></a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom></pic:spPr></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r>`;
