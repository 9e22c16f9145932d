/** Collects text up to a maximum length. */
export interface TextCollector {
  add(part: string): void;
  /** Returns what was collected, and starts over. */
  take(): string;
}

export function createTextCollector(lengthMax: number): TextCollector {
  let parts: string[] = [];
  let length = 0;
  return {
    add(part) {
      if (length >= lengthMax) return;
      parts.push(part.slice(0, lengthMax - length));
      length += part.length;
    },
    take() {
      const text = parts.join("");
      parts = [];
      length = 0;
      return text;
    },
  };
}

/** Collects the text of one element at a time. An element that is not closed ends where the next one begins. */
export interface ElementText {
  begin(): void;
  add(part: string): void;
  end(): void;
}

export function createElementText(lengthMax: number, take: (text: string) => void): ElementText {
  const text = createTextCollector(lengthMax);
  let isOpen = false;
  const end = () => {
    if (!isOpen) return;
    isOpen = false;
    take(text.take());
  };
  return {
    begin() {
      end();
      isOpen = true;
    },
    add: (part) => void (isOpen && text.add(part)),
    end,
  };
}
