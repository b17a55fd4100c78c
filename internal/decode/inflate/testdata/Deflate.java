import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;

/** Writes deflate streams of each file, as Java's own encoder makes them, beside it. */
public class Deflate {
    public static void main(String[] files) throws Exception {
        int[] strategies = {Deflater.DEFAULT_STRATEGY, Deflater.FILTERED, Deflater.HUFFMAN_ONLY};
        for (String file : files) {
            byte[] data = Files.readAllBytes(Path.of(file));
            for (int level = 0; level <= 9; level++) {
                for (int strategy : strategies) {
                    for (boolean flush : new boolean[] {false, true}) {
                        Deflater d = new Deflater(level, true); // without header and trailer
                        d.setStrategy(strategy);
                        Path to = Path.of(file + "." + level + "-" + strategy + "-" + flush + ".deflate");
                        try (OutputStream out = new DeflaterOutputStream(Files.newOutputStream(to), d, 8192, flush)) {
                            for (int at = 0; at < data.length; at += 50_000) {
                                out.write(data, at, Math.min(50_000, data.length - at));
                                out.flush();
                            }
                        }
                        d.end();
                    }
                }
            }
        }
    }
}
